import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { covers, families, TriedFamilies } from '../../scripts/test-families.ts';

let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'kubexm-families-'));
  put('test/rig/thorough.ts', 'export const some = 1;\n');
  put('test/rig/shells.ts', "import { lib } from '../../src/host/lib/index.ts';\nexport * from './thorough.ts';\n");
  put('src/host/lib/index.ts', "export { a } from './effect.ts';\nimport '../../model/far.ts';\n");
  put('src/host/lib/effect.ts', 'export const a = 1;\n');
  put('src/host/lib/effect.sh', 'kx_effect_look() { :; }\n');
  put('src/host/lib/effect.test.ts', "import { inEveryShell } from '../../../test/rig/shells.ts';\n");
  put('src/host/lib/other.test.ts', "import { a } from './effect.ts';\n");
  put('src/model/far.ts', 'export const far = 1;\n');
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

function put(file: string, text: string): void {
  mkdirSync(dirname(join(root, file)), { recursive: true });
  writeFileSync(join(root, file), text);
}
const FAMILY = 'src/host/lib/effect.test.ts';
const now = () => families(root, { process: [FAMILY, 'src/host/lib/other.test.ts'], lab: [FAMILY] });

test('a family covers its test file, what that uses of test, and the folders of src that these import from', () => {
  expect(covers(root, FAMILY)).toEqual([
    'src/host/lib/effect.sh',
    'src/host/lib/effect.test.ts',
    'src/host/lib/effect.ts',
    'src/host/lib/index.ts',
    'test/rig/shells.ts',
    'test/rig/thorough.ts',
  ]);
  expect([...now().keys()]).toEqual([FAMILY]);
});

test('every case is tried after a change of what it covers, until all have passed', () => {
  const cache = join(root, 'cache');
  const changed = () => new TriedFamilies(cache).changed(now());
  const pass = (...files: readonly string[]) => new TriedFamilies(cache).record(now(), files);
  // The first run on a machine takes things as they are.
  expect(changed()).toEqual([]);
  pass(FAMILY);
  expect(changed()).toEqual([]);
  put('src/model/far.ts', 'export const far = 2;\n');
  expect(changed()).toEqual([]);
  put('src/host/lib/effect.ts', 'export const a = 2;\n');
  expect(changed()).toEqual([FAMILY]);
  pass('src/host/lib/other.test.ts');
  expect(changed()).toEqual([FAMILY]);
  pass(FAMILY);
  expect(changed()).toEqual([]);
  put('src/host/lib/effect.ts', 'export const a = 1;\n');
  expect(changed()).toEqual([]);
});
