import { describe, expect, test } from 'vitest';
import { absent, bytes, type Seen, seen } from '../../../test/support/seen.ts';
import { type Host, output } from '../../model/host.ts';
import type { Script } from '../../model/script.ts';
import type { AnyStep, StepIo } from '../../plan/step.ts';
import { copy } from './copy.ts';
import { directory } from './directory.ts';
import { mode } from './mode.ts';
import { remove } from './remove.ts';
import { symlink } from './symlink.ts';
import { upload } from './upload.ts';
import { type Uploads, uploads } from './uploads.ts';

const host = {} as Host;
const io = {} as StepIo;
const scriptOf = (step: AnyStep, want: unknown) => (step.apply(host, want, io) as Script).script;

describe('directory', () => {
  const { judge, revert } = directory.definition;
  const looked = (found: Seen | undefined, flags: string) => {
    const first = found === undefined ? absent : seen(found);
    return bytes(Buffer.concat([first.bytes, Buffer.from(flags)]));
  };

  test.each<[string, Seen | undefined, string, object]>([
    ['there', { type: 'directory', mode: 0o700 }, '111', { verdict: 'satisfied' }],
    [
      'absent',
      undefined,
      '001',
      {
        verdict: 'needed',
        seen: { existed: false, made: ['/a/b/c', '/a/b'] },
        diff: [
          { what: '/a/b/c', to: 'directory' },
          { what: 'mode', to: '0700' },
        ],
      },
    ],
    [
      'other mode',
      { type: 'directory', mode: 0o755, uid: 3, gid: 4 },
      '111',
      {
        verdict: 'needed',
        seen: { existed: true, mode: '0755', uid: 3, gid: 4 },
        diff: [{ what: 'mode', from: '0755', to: '0700' }],
      },
    ],
    [
      'a file in the way',
      { type: 'file', size: 3 },
      '011',
      { verdict: 'needed', diff: [{ what: '/a/b/c', from: 'file, 3 bytes', to: 'directory' }, { what: 'mode' }] },
    ],
  ])('judge: %s', (_name, found, flags, verdict) => {
    expect(judge!(looked(found, flags), { path: '/a/b/c', mode: '0700' })).toMatchObject(verdict);
  });

  test('revert takes away what it made, and nothing that others put there', () => {
    const text = (
      revert!(
        host,
        { path: '/a/b/c' },
        { existed: false, mode: '0', uid: 0, gid: 0, made: ['/a/b/c', '/a/b'] },
      ) as Script
    ).script;
    expect(text).toContain('rmdir -- /a/b 2>/dev/null');
    expect(text).not.toMatch(/rm -r.*"\$p"/);
  });

  test('revert of one that existed only puts mode and owner back', () => {
    const text = (revert!(host, { path: '/a' }, { existed: true, mode: '0711', uid: 1, gid: 2, made: [] }) as Script)
      .script;
    expect(text).toBe('chown -- 1:2 /a && chmod 0711 /a');
  });
});

describe('symlink', () => {
  const { judge } = symlink.definition;
  test.each<[string, Seen | undefined, object]>([
    ['there', { type: 'symlink', rest: 'b c' }, { verdict: 'satisfied' }],
    [
      'other target',
      { type: 'symlink', rest: 'b c\n' },
      { verdict: 'needed', diff: [{ what: '/l', from: 'link to b c\n', to: 'link to b c' }] },
    ],
    ['absent', undefined, { verdict: 'needed', diff: [{ what: '/l', to: 'link to b c' }] }],
    ['directory', { type: 'directory' }, { verdict: 'needed', diff: [{ from: 'directory' }] }],
  ])('judge: %s', (_name, found, verdict) => {
    expect(judge!(found === undefined ? absent : seen(found), { path: '/l', target: 'b c' })).toMatchObject(verdict);
  });

  test('a target with a dash is no option', () => {
    expect(scriptOf(symlink.definition, { path: '/l', target: '-s' })).toContain('ln -s -- -s "$t"');
  });

  test('an empty target is refused', () => {
    expect(() => scriptOf(symlink.definition, { path: '/l', target: '' })).toThrow('no target');
  });
});

describe('remove', () => {
  const { judge, saves, irreversible } = remove.definition;
  test.each<[string, Seen | undefined, object]>([
    ['absent', undefined, { verdict: 'satisfied' }],
    ['file', { size: 5 }, { verdict: 'needed', diff: [{ what: '/x/y', from: 'file, 5 bytes' }] }],
    ['link', { type: 'symlink', rest: '/z' }, { verdict: 'needed', diff: [{ from: 'link to /z' }] }],
    ['fifo', { type: 'fifo' }, { verdict: 'needed', diff: [{ from: 'special file' }] }],
  ])('judge: %s', (_name, found, verdict) => {
    expect(judge!(found === undefined ? absent : seen(found), { path: '/x/y' })).toMatchObject(verdict);
  });

  test.each([
    '/',
    '/etc',
    '/usr',
    '/var',
    '/home',
    '/home/alice',
    '/root',
    '/usr/local/bin',
    '/var/lib',
    '/var/lib/kubexm',
    '/etc/ssh',
    '/boot',
  ])('refuses %s', (path) => {
    expect(() => remove.definition.probe!({ path })).toThrow('must never be removed');
    expect(() => scriptOf(remove.definition, { path })).toThrow('must never be removed');
  });

  test.each(['/etc/', '/etc/.', '/var/../etc', 'etc'])('refuses the spelling %s', (path) => {
    expect(() => scriptOf(remove.definition, { path })).toThrow(/path/);
  });

  test('without a copy it says that it cannot be undone', () => {
    const want = { path: '/var/lib/docker', withoutCopy: 'it is too large' };
    expect(saves!(want)).toEqual([]);
    expect((irreversible as (want: unknown) => unknown)(want)).toBe('it is too large');
  });
});

describe('mode', () => {
  const { judge, probe, revert } = mode.definition;
  const want = { path: '/d', mode: '0640', owner: 'root:etcd', recursive: true };
  const entry = (path: string, bits = '644') => `${bits} 0 0\n${path}\0`;

  test.each<[string, ReturnType<typeof output>, object]>([
    ['as wanted', output(0), { verdict: 'satisfied' }],
    ['absent', output(2), { verdict: 'needed', diff: [{ what: '/d', to: '0640 root:etcd' }] }],
    ['no such user', output(3), { verdict: 'needed', diff: [{ what: '/d' }] }],
    [
      'odd names',
      output(0, `${entry('/d/b\nc', '4755')}${entry('/d/a')}`),
      {
        verdict: 'needed',
        seen: {
          entries: [
            { path: '/d/a', mode: '0644', uid: 0, gid: 0 },
            { path: '/d/b\nc', mode: '04755', uid: 0, gid: 0 },
          ],
          truncated: false,
        },
        diff: [{ what: '/d/a', from: '0644 0:0', to: '0640 root:etcd' }, { what: '/d/b\nc' }],
      },
    ],
    [
      'many',
      output(0, Array.from({ length: 9 }, (_, i) => entry(`/d/${i}`)).join('')),
      { diff: [{ what: '/d/0' }, {}, {}, {}, {}, { what: '4 more below /d' }] },
    ],
  ])('judge: %s', (_name, answer, verdict) => {
    expect(judge!(answer, want)).toMatchObject(verdict);
  });

  test('what could not be listed is not put back by guess', () => {
    const verdict = judge!({ ...output(0, entry('/d/a')), truncated: true }, want);
    const text = (revert!(host, want, ('seen' in verdict ? verdict.seen : undefined)!) as Script).script;
    expect(text).toContain('exit 1');
    const odd = judge!(bytes(Buffer.concat([Buffer.from('644 0 0\n/d/'), Buffer.from([0xff, 0])])), want);
    expect(odd).toMatchObject({ seen: { truncated: true } });
  });

  test('wants something, and never the whole system', () => {
    expect(() => probe!({ path: '/d' })).toThrow('neither mode nor owner');
    expect(() => probe!({ path: '/usr', mode: '0777', recursive: true })).toThrow('never');
  });
});

describe('copy', () => {
  const { judge, probe } = copy.definition;
  const want = { source: '/s', path: '/x/d', mode: '0600', owner: 'a:b' };
  test.each<[string, string, object]>([
    ['same', 'file yes yes yes', { verdict: 'satisfied' }],
    [
      'absent',
      'absent no no no',
      {
        verdict: 'needed',
        diff: [
          { what: '/x/d', to: 'copy of /s' },
          { what: 'mode', to: '0600' },
          { what: 'owner', to: 'a:b' },
        ],
      },
    ],
    ['other', 'directory no no no', { verdict: 'needed', diff: [{ from: 'another directory' }, {}, {}] }],
    ['mode', 'file yes no yes', { verdict: 'needed', diff: [{ what: 'mode', to: '0600' }] }],
  ])('judge: %s', (_name, answer, verdict) => {
    expect(judge!(output(0, `${answer}\n`), want)).toMatchObject(verdict);
  });

  test.each([
    ['/usr', 'never'],
    ['/s', 'inside'],
    ['/s/inner', 'inside'],
    ['/', 'never'],
  ])('refuses to copy to %s', (path, message) => {
    expect(() => probe!({ source: '/s', path })).toThrow(message);
  });

  test('refuses to copy over what holds the source', () => {
    expect(() => probe!({ source: '/x/d/s', path: '/x/d' })).toThrow('holds');
  });
});

describe('upload', () => {
  const { judge } = upload.definition;
  const sha256 = 'a'.repeat(64);
  const want = { source: { path: '/tmp/f', sha256 }, path: '/x', mode: '0755' };
  test.each<[string, ReturnType<typeof seen>, object]>([
    ['same', seen({ sha256, mode: 0o755 }), { verdict: 'satisfied' }],
    [
      'absent',
      absent,
      {
        verdict: 'needed',
        diff: [
          { what: '/x', to: 'sha256 aaaaaaaaaaaa' },
          { what: 'mode', to: '0755' },
        ],
      },
    ],
    [
      'other',
      seen({ sha256: 'b'.repeat(64), mode: 0o755 }),
      { verdict: 'needed', diff: [{ what: '/x', from: 'sha256 bbbbbbbbbbbb' }] },
    ],
    ['mode', seen({ sha256 }), { verdict: 'needed', diff: [{ what: 'mode', from: '0644', to: '0755' }] }],
  ])('judge: %s', (_name, answer, verdict) => {
    expect(judge!(answer, want)).toMatchObject(verdict);
  });

  test('a source that is not known yet is shown by name', () => {
    const masked = { ...want, source: '‹download›' as unknown as typeof want.source };
    expect(judge!(absent, masked)).toMatchObject({ verdict: 'needed', diff: [{ what: '/x', to: '‹download›' }, {}] });
  });

  test('sends the digest along', async () => {
    const calls: unknown[][] = [];
    const fake = { put: async (...args: unknown[]) => void calls.push(args) } as unknown as Host;
    await upload.definition.apply(fake, { ...want, owner: 'root' }, {
      signal: new AbortController().signal,
      sent: () => {},
    } as unknown as StepIo);
    expect(calls[0]?.slice(0, 2)).toEqual(['/tmp/f', '/x']);
    expect(calls[0]?.[2]).toMatchObject({ mode: '0755', owner: 'root', sha256 });
  });
});

describe('uploads', () => {
  const { judge, probe, apply } = uploads.definition;
  const [one, two] = ['a', 'b'].map((c) => ({ path: `/tmp/${c}`, sha256: c.repeat(64) }));
  const want: Uploads = { directory: '/d', files: { one: one!, none: null, two: two! }, mode: '0755' };
  const joined = (...all: ReturnType<typeof seen>[]) => output(0, all.map(({ stdout }) => `${stdout}\0`).join(''));
  const mine = (file: { sha256: string } | undefined, mode = 0o755) => seen({ sha256: file?.sha256 ?? '', mode });

  test.each<[string, ReturnType<typeof seen>, readonly object[]]>([
    ['all there', joined(mine(one), mine(two)), []],
    [
      'none there',
      joined(absent, absent),
      [
        { what: '/d/one', to: 'sha256 aaaaaaaaaaaa' },
        { what: '/d/two', to: 'sha256 bbbbbbbbbbbb' },
      ],
    ],
    ['one of them another', joined(mine(two), mine(two)), [{ what: '/d/one', from: 'sha256 bbbbbbbbbbbb' }]],
    ['a mode', joined(mine(one), mine(two, 0o700)), [{ what: '/d/two: mode', from: '0700', to: '0755' }]],
    ['no answer', output(1), [{ what: '/d/one' }, { what: '/d/two' }]],
  ])('judge: %s', (_name, answer, diff) => {
    const verdict = judge!(answer, want);
    expect(verdict).toMatchObject(diff.length === 0 ? { verdict: 'satisfied' } : { verdict: 'needed', diff });
  });

  test('only what differs is sent', async () => {
    const sent: unknown[] = [];
    const fake = {
      run: async () => joined(mine(one), absent),
      put: async (from: string, to: string) => void sent.push([from, to]),
    } as unknown as Host;
    await apply(fake, want, {
      signal: new AbortController().signal,
      line: () => {},
      sent: () => {},
    } as unknown as StepIo);
    expect(sent).toEqual([['/tmp/b', '/d/two']]);
  });

  test.each(['', '..', 'a/b'])('a name that is none: %j', (name) => {
    expect(() => probe!({ ...want, files: { [name]: one! } })).toThrow('no name');
  });
});
