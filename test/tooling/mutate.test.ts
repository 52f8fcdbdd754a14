import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { candidatesOf, scriptCandidatesOf } from '../../scripts/mutation/candidates.ts';
import { compiling } from '../../scripts/mutation/compile.ts';
import { instrumented, type Mutant, mutated } from '../../scripts/mutation/instrument.ts';
import { shellMutations } from '../../scripts/mutation/shell-mutations.ts';
import { testsFor } from '../../scripts/mutation/trial.ts';

const FILE = 'src/a/part.ts';
const kinds = (text: string): readonly string[] => candidatesOf(FILE, text).map(({ kind }) => kind);
const variants = (text: string): readonly string[] => candidatesOf(FILE, text).map((one) => mutated(text, one));

describe('mutants of a source', () => {
  test.each<[string, readonly string[]]>([
    ['f(a < b);', [';', 'f((a <= b));']],
    ['export const c = a === b;', ['export const c = (a !== b);']],
    ['if (a) b();', ['if ((!(a))) b();', 'if (a) ;']],
    ['if (a && b) return;', ['if ((!(a && b))) return;', 'if ((a || b)) return;', 'if (a && b) ;']],
    ['const c = l.every(f);', ['const c = (l.some(f));']],
    ['const c = l.filter(f).trim();', ['const c = (l.filter(f));', 'const c = (l).trim();']],
    ['const c = [...l];', ['const c = [...([])];']],
    ['const c = { ...l };', ['const c = { ...({}) };']],
    ["const c = 'x';", ["const c = ('');"]],
    ['const c = 3 - d;', ['const c = (3 + d);', 'const c = (3 + 1) - d;']],
  ])('%s', (text, expected) => {
    expect(variants(text).toSorted()).toEqual([...expected].toSorted());
  });

  test.each([
    ['words for people', "const c = 'some words';"],
    ['names', "const c = { 'a-b': d };"],
    ['types', "type T = 'x' | 3;"],
    ['modules', "import { a } from './a.ts'; export { b } from './b.ts';"],
    ['what is there for the compiler', 'const c = l[i] ?? 0;'],
    ['the inside of an optional chain', 'const c = a?.b.filter(f).length;'],
  ])('none of %s', (_name, text) => {
    expect(kinds(text)).toEqual([]);
  });

  test('a key does not depend on the lines around', () => {
    const [one] = candidatesOf(FILE, 'f(a);');
    const [two] = candidatesOf(FILE, '// more\n\nf(a);');
    expect(two?.key).toBe(one?.key);
    expect(two?.line).toBe(3);
    expect(new Set(candidatesOf(FILE, 'f(a); f(a);').map(({ key }) => key)).size).toBe(2);
  });
});

describe('mutants of a script', () => {
  const texts = (literal: string): readonly string[] => shellMutations(literal).map(({ text }) => text);

  test.each<[string, readonly string[]]>([
    ['`[ -n "$a" ] && b`', ['`[ -n "$a" ] || b`', '`[ -z "$a" ] && b`']],
    ['`[ "$a" = x ] || exit 1`', ['`[ "$a" = x ] && exit 1`', '`[ "$a" != x ] || exit 1`', '`[ "$a" = x ] || exit 0`']],
    ['`[ ! -e "$a" ]`', ['`[ -e "$a" ]`']],
    ['`[ -e "$a" ]`', ['`[ ! -e "$a" ]`']],
    ['`[ "$n" -lt 3 ]`', ['`[ "$n" -le 3 ]`']],
  ])('%s', (literal, expected) => {
    expect(texts(literal).toSorted()).toEqual([...expected].toSorted());
  });

  test('code and comments in it stay as they are', () => {
    const code = '$' + '{b || c}';
    expect(texts(`\`# a || b\n[ "$a" = ${code} ]\``)).toEqual([`\`# a || b\n[ "$a" != ${code} ]\``]);
    expect(texts(`\`one of ${code} and ${code}\``)).toEqual([]);
  });
});

describe('mutants of a script in a file', () => {
  const script = { file: 'src/a/part.sh', text: '# a || b\nkx_a() {\n  [ -e "$1" ] || return 1\n}\n' };
  const source = {
    file: FILE,
    text: "import { shellSource } from './read.ts';\nexport const a = shellSource(new URL('./part.sh', import.meta.url));\n",
  };

  test('are in the source that reads it, and are shown where they are', () => {
    const found = scriptCandidatesOf(script, source);
    const told = found.map(({ script: one, kind }) => `${one?.file}:${one?.line} ${kind}`);
    expect(told.toSorted()).toEqual([
      'src/a/part.sh:3 shell: 1 becomes 0',
      'src/a/part.sh:3 shell: test becomes !',
      'src/a/part.sh:3 shell: || becomes &&',
    ]);
    const [first] = found;
    expect(mutated(source.text, first!)).toBe(
      source.text.replace("new URL('./part.sh', import.meta.url)", `(${first?.replacement})`),
    );
    expect(JSON.parse(first!.replacement.replace('{ text: ', '').replace(/ }$/, ''))).toBe(first?.script?.text);
    expect(new Set(found.map(({ key }) => key)).size).toBe(3);
  });

  test('there are none of a script that a source does not read', () => {
    expect(scriptCandidatesOf({ ...script, file: 'src/a/other.sh' }, source)).toEqual([]);
  });
});

describe('sources with switches', () => {
  let dir: string;
  beforeEach(() => {
    dir = realpathSync(mkdtempSync(join(tmpdir(), 'kubexm-mutate-')));
    mkdirSync(join(dir, 'src/a'), { recursive: true });
    cpSync(
      fileURLToPath(new URL('../../scripts/mutation/mutant-switch.ts', import.meta.url)),
      join(dir, 'src/mutant-switch.ts'),
    );
  });
  afterEach(() => rmSync(dir, { recursive: true, force: true }));

  const run = (env: NodeJS.ProcessEnv): string => {
    const { stdout, stderr } = spawnSync(process.execPath, ['--disable-warning=ExperimentalWarning', join(dir, FILE)], {
      env: { ...process.env, ...env },
      encoding: 'utf8',
    });
    return stdout + stderr;
  };

  test('do what the source does, or what the mutant does that is on', () => {
    const text = `const l: number[] = [1, 5];
function told(n: number): string {
  if (n > 3 && l.every((one) => one > 0)) return 'much';
  return \`\${n}\`;
}
if (l.length > 0) console.log(l.filter((n) => n > 1).map(told).join('+')); else console.log('none');
`;
    const found = candidatesOf(FILE, text).map((one, id): Mutant => ({ ...one, id }));
    writeFileSync(join(dir, FILE), instrumented(FILE, text, found));
    expect(run({})).toBe('much\n');
    for (const one of found.filter(({ id }) => id % 3 === 0)) {
      const whole = run({ KUBEXM_MUTANT: String(one.id) });
      writeFileSync(join(dir, 'src/a/alone.ts'), mutated(text, one));
      const alone = spawnSync(process.execPath, [join(dir, 'src/a/alone.ts')], { encoding: 'utf8' });
      expect(whole, one.kind).toBe(alone.stdout);
    }
    expect(found.length).toBeGreaterThan(8);
  });

  test('note who reaches which', () => {
    const text = 'const n: number = 3;\nif (n > 4) console.log(n);\n';
    const found = candidatesOf(FILE, text).map((one, id): Mutant => ({ ...one, id }));
    writeFileSync(
      join(dir, FILE),
      `${instrumented(FILE, text, found)}console.log(process.getBuiltinModule('node:fs').readFileSync('${dir}/seen', 'utf8'));`,
    );
    const seen = run({ KUBEXM_MUTANTS_SEEN: join(dir, 'seen'), KUBEXM_MUTANT_TEST: 'x.test.ts' });
    const reached = seen.trim().split('\n');
    expect(reached).toHaveLength(found.length - 1);
    for (const line of reached) expect(line).toMatch(/^\d\tx\.test\.ts$/);
  });

  test('the compiler refuses what nobody needs a test for', () => {
    writeFileSync(
      join(dir, 'tsconfig.json'),
      JSON.stringify({ compilerOptions: { strict: true, noEmit: true, types: [] } }),
    );
    const text =
      "export function f(a: 'x' | 'y', n: number): string {\n  return a === 'x' ? a : n > 3 ? a + 'z' : 'x';\n}\n";
    writeFileSync(join(dir, FILE), text);
    const all = candidatesOf(FILE, text);
    const kept = compiling(dir, all);
    expect(all.map(({ kind }) => kind)).toContain('+ becomes -');
    expect(kept.map(({ kind }) => kind)).not.toContain('+ becomes -');
    expect(kept.map(({ kind }) => kind)).toContain('> becomes >=');
  });
});

test('near tests come first; of others the quickest', () => {
  const mutant = { ...candidatesOf('src/a/part.ts', 'f(a);')[0]!, id: 7 };
  const far = Array.from({ length: 9 }, (_, i) => [`src/z/${i}.test.ts`, 9 - i] as const);
  const seconds = new Map([
    ['src/a/other.test.ts', 50],
    ['src/a/part.test.ts', 1],
    ['src/a/unrelated.test.ts', 1],
    ...far,
  ]);
  const reach = new Map([[7, new Set(['src/a/other.test.ts', ...far.map(([file]) => file), 'test/fails.test.ts'])]]);
  const [first, then] = testsFor(mutant, { reach, seconds });
  expect(first).toEqual([
    'src/a/part.test.ts',
    'src/a/other.test.ts',
    ...['8', '7', '6', '5'].map((n) => `src/z/${n}.test.ts`),
  ]);
  expect(then).toEqual(['4', '3', '2', '1'].map((n) => `src/z/${n}.test.ts`));
  const inScript = { ...mutant, file: 'src/a/index.ts', script: { file: 'src/a/part.sh', line: 1, text: '' } };
  expect(testsFor(inScript, { reach, seconds })[0]).toEqual(first);
});
