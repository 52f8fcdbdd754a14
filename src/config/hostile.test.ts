import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { BASE } from '../../test/configs/cases.ts';
import { cpuTime } from '../../test/configs/cpu-time.ts';
import { runs, some } from '../../test/rig/thorough.ts';
import { loadConfig } from './load.ts';
import { renderProblems } from './render.ts';

const SEED = readFileSync(new URL('../../test/configs/seed-002-corrected.yaml', import.meta.url), 'utf8');
const PLANTED = 'Qcloud@123';

/** Loads and shows a text; whatever it is, the answer is a cluster or clear problems inside the file. */
async function mustAnswer(text: string): Promise<void> {
  const { cluster, problems, source } = await loadConfig({ text, file: 'cluster.yaml' });
  const errors = problems.filter((one) => one.severity === 'error');
  expect(cluster === undefined).toBe(errors.length > 0);
  const lines = (source.text ?? '').split('\n');
  for (const { at, also } of problems) {
    for (const place of [at, ...(also ?? [])]) {
      expect(place.line).toBeLessThanOrEqual(Math.max(1, lines.length));
      expect(place.column - 1 + place.length).toBeLessThanOrEqual((lines[place.line - 1] ?? '').length + 1);
      expect(Math.min(place.line, place.column, place.length + 1)).toBeGreaterThan(0);
    }
  }
  for (const lang of ['en', 'zh'] as const) {
    const shown = renderProblems(problems, source, { lang, color: false });
    expect(shown).not.toMatch(/^\s+at .*:\d+:\d+\)?$/m);
    expect(shown).not.toMatch(/[\0-\x08\x0b-\x1f\x7f\u202e]/);
  }
}

const odd = fc.constantFrom(
  ...'：，“”‘’　［］｛｝＃－、\u00a0\u200b\ufeff\u202e\t\r\n\0\u001b"\'[]{}:,-|>&*!%@`#?\\ ~<0x'.split(''),
  '\r\n',
  '  ',
  '---\n',
  '...\n',
  '<<: ',
  '!!str ',
  '&a ',
  '*a',
  '{{ x }}',
  '__proto__: 1\n',
  'node[1:9]',
  ': ',
  '- ',
  '\ud800',
  '𠮷',
  'e\u0301',
);
const edit = fc.record({
  at: fc.double({ min: 0, max: 1, noNaN: true, maxExcluded: true }),
  remove: fc.integer({ min: 0, max: 12 }),
  insert: fc.oneof(odd, fc.string({ maxLength: 8, unit: 'binary' }), fc.constant('')),
});

function apply(text: string, edits: readonly { at: number; remove: number; insert: string }[]): string {
  return edits.reduce((changed, one) => {
    const at = Math.floor(one.at * changed.length);
    return changed.slice(0, at) + one.insert + changed.slice(at + one.remove);
  }, text);
}

describe('whatever the text, the answer is clear and nothing throws', () => {
  test('random characters', async () => {
    const text = fc.oneof(
      fc.string({ unit: 'binary', maxLength: 300 }),
      fc.array(odd, { maxLength: 80 }).map((parts) => parts.join('')),
    );
    await fc.assert(
      fc.asyncProperty(text, async (random) => {
        await mustAnswer(random);
        expect((await loadConfig({ text: random, file: 'cluster.yaml' })).problems.length).toBeGreaterThan(0);
      }),
      { numRuns: runs(400) },
    );
  });

  test('a good configuration with characters changed', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(edit, { minLength: 1, maxLength: 6 }), async (edits) => mustAnswer(apply(BASE, edits))),
      { numRuns: runs(600) },
    );
  });

  test('the seed with characters changed', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(edit, { minLength: 1, maxLength: 4 }), async (edits) => mustAnswer(apply(SEED, edits))),
      { numRuns: runs(100) },
    );
  });

  test('lines swapped, repeated, dropped and indented otherwise', async () => {
    const lines = BASE.split('\n');
    const change = fc.tuple(
      fc.constantFrom('drop', 'repeat', 'swap', 'indent', 'outdent', 'tab'),
      fc.nat(lines.length - 2),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(change, { minLength: 1, maxLength: 5 }), async (changes) => {
        const text = [...lines];
        for (const [what, i] of changes) {
          const line = text[i] ?? '';
          if (what === 'drop') text.splice(i, 1);
          else if (what === 'repeat') text.splice(i, 0, line);
          else if (what === 'swap') [text[i], text[i + 1]] = [text[i + 1] ?? '', line];
          else text[i] = what === 'indent' ? `  ${line}` : what === 'tab' ? `\t${line}` : line.replace(/^ {1,2}/, '');
        }
        await mustAnswer(text.join('\n'));
      }),
      { numRuns: runs(400) },
    );
  });

  test('values of every field replaced by something else', async () => {
    const value = fc.oneof(
      fc.constantFrom(
        '',
        '~',
        '[]',
        '{}',
        '""',
        'yes',
        '0',
        '-1',
        '1e9',
        '.nan',
        '[[]]',
        '{a: {b: c}}',
        '!x y',
        '"\\0"',
        '2022::2',
        '1.2.3.4/99',
        'a: b',
        "'''",
        'prompt',
        'env:',
        '99999999999999999999',
        '0x10',
      ),
      fc.string({ maxLength: 20 }),
    );
    const places = [...BASE.matchAll(/: ([^\n{[]+?)(?=[,}\n])/g)].map((match) => match.index + 2);
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...places), value, async (place, other) => {
        const end = place + (/^[^,}\n]*/.exec(BASE.slice(place))?.[0].length ?? 0);
        await mustAnswer(BASE.slice(0, place) + other + BASE.slice(end));
      }),
      { numRuns: runs(500) },
    );
  });
});

describe('secrets', () => {
  test('a password in the file is never shown, however broken the file is', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(edit, { minLength: 0, maxLength: 3 }), async (edits) => {
        const text = apply(SEED, edits);
        const { problems, source, cluster } = await loadConfig({ text, file: 'cluster.yaml' });
        const shown = renderProblems(problems, source, { lang: 'en', color: false });
        expect(shown + JSON.stringify(problems)).not.toContain(PLANTED);
        expect(JSON.stringify(cluster) ?? '').not.toContain(PLANTED);
      }),
      { numRuns: runs(150) },
    );
  });

  test.each([
    'password: hunter2secret',
    'password： hunter2secret',
    'password:hunter2secret',
    'password: “hunter2secret”',
    'password: [hunter2secret]',
    'password: {a: hunter2secret}',
    'sudoPassword: "hunter2secret',
    'passphrase: |\n    hunter2secret',
    'privateKey: hunter2secret: x',
    'passwrod: hunter2secret',
    'pasword: "hunter2secret"',
    'password: hunter2secret\n    password: hunter2secret',
    'privateKey:\n      hunter2secret:',
    '# password: hunter2secret\t\u202e',
  ])('%s', async (line) => {
    const text = BASE.replace('  etcd:', `  ssh:\n    ${line}\n    nonsense: 1\n  etcd:`);
    const { problems, source } = await loadConfig({ text, file: 'cluster.yaml' });
    expect(renderProblems(problems, source, { lang: 'en', color: false })).not.toContain('hunter2');
    expect(JSON.stringify(problems)).not.toContain('hunter2');
  });
});

test.each([
  ['a host', BASE.replace('172.16.0.3}', '172.16.0.3, password: *pw}')],
  ['a login of a registry', `${BASE}  registry: {auths: {r.example.com: {username: me, password: *pw}}}\n`],
])('a password of %s that stands elsewhere, behind an anchor, is not shown there either', async (_name, base) => {
  const text = base.replace('172.16.0.2}', '172.16.0.2, nonsense: &pw hunter2secret}');
  const { problems, source } = await loadConfig({ text, file: 'cluster.yaml' });
  const shown = renderProblems(problems, source, { lang: 'en', color: false });
  expect(shown).toContain('nonsense: &pw *************}');
  expect(shown).not.toContain('hunter2');
});

test.each(['valueOf', 'constructor', '__proto__', 'toString', 'hasOwnProperty'])(
  'a key called %s is a key like any other',
  async (key) => {
    for (const text of [`${key}: 1\n${BASE}`, BASE.replace('spec:', `spec:\n  ${key}: 1`), `${key}: {a: 1}\n`]) {
      await mustAnswer(text);
    }
  },
);

describe('large and hostile texts are refused quickly', () => {
  const pieces = [
    'a',
    '"',
    "'",
    ': ',
    ',',
    'a,',
    '&a ',
    '!a ',
    '- *a\n',
    '\n',
    '%A b\n',
    '#\n',
    '?\n',
    '- a\n',
    'a: 1\n',
    '\\x',
    '--- a\n',
    '...\n',
    '\t',
    '[]',
    '{},',
    'a: |\n  x\n',
    '<<: {a: b}\n',
    '：',
    '，',
    '“',
    '　',
    '－ a\n',
    '‘a’,',
    'x: "',
    'node[1:2],',
    '  - node[1:2]\n',
    '{a: ',
    '- - a\n',
    'token',
    'assss',
    'assw',
    'password ',
    'password: x password: ',
    '\u001b',
    '\ud800',
    '😀',
  ];
  const starts = ['', '[', 'spec:\n  hosts:\n'];
  const texts = pieces.flatMap((piece) =>
    starts.map((start) => [JSON.stringify(start + piece), start, piece] as const),
  );
  test.each(some(texts, 18))('%s repeated', async (_, start, piece) => {
    const text = start + piece.repeat(Math.floor(1_048_000 / piece.length));
    const spent = cpuTime();
    const { problems, cluster, source } = await loadConfig({ text, file: 'cluster.yaml' });
    expect(renderProblems(problems, source, { lang: 'en', color: false }).length).toBeLessThan(200_000);
    expect(spent()).toBeLessThan(1000);
    expect(cluster).toBeUndefined();
    expect(problems[0]?.severity).toBe('error');
  });
});

test('a configuration of 5,000 hosts loads in well under two seconds', async () => {
  const hosts = Array.from(
    { length: 5000 },
    (_, i) =>
      `    - {name: node${i}, address: 172.16.${i >> 8}.${i & 255}, internalAddress: "172.16.${i >> 8}.${i & 255},2022::${(i + 2).toString(16)}", port: 8022, user: ubuntu, labels: {disk: SSD}}`,
  );
  const text = `${BASE.replace(/ {4}- \{name: node1[\s\S]*?(?= {2}roleGroups)/, `${hosts.join('\n')}\n`)
    .replace('[node1]', '[node0]')
    .replace('[node2, node3]', '["node[1:4999]"]')}  network:
    kubePodsCIDR: 10.64.0.0/10,fd85::/48
    kubeServiceCIDR: 192.168.0.0/18,fd86::/112
    plugin: calico
    ippool: {blockSize: 26}
`;
  const spent = cpuTime();
  const { cluster, problems } = await loadConfig({ text, file: 'cluster.yaml' });
  expect(spent()).toBeLessThan(2000);
  expect(problems).toEqual([]);
  expect(cluster?.spec.hosts).toHaveLength(5000);
  expect(cluster?.spec.roleGroups.worker).toHaveLength(4999);
});
