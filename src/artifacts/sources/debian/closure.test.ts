import { expect, test } from 'vitest';
import { closureOf } from './closure.ts';
import { type Package, parsePackages } from './control.ts';

const INDEX = `Package: tool
Version: 1:2.0-1
Section: net
Depends: libone (>= 1.2), debconf (>= 0.5) | debconf-2.0, libgone | libtwo,
 zlib1g:any
Size: 1234
SHA256: aa

Package: tool
Version: 1:1.0-1
Section: net
Filename: pool/main/t/tool/tool_1.0-1_amd64.deb
SHA256: bb

Package: libone
Version: 1.3
Section: libs
Pre-Depends: libc6
Depends: libone-data
SHA256: cc

Package: libone-data
Version: 1.3
Section: misc
SHA256: dd

Package: libtwo
Version: 2
Section: oldlibs
Depends: libone
SHA256: ee

Package: libc6
Version: 2.36
Section: libs
Depends: libc6
SHA256: ff

Package: zlib1g
Version: 1.2
Section: contrib/libs
SHA256: 00

Package: debconf
Version: 1.5
Section: admin
Depends: perl-base
SHA256: 11
`;

const all = new Map(parsePackages(INDEX).map((one) => [one.name, one]));
const lookUp = async (names: readonly string[]): Promise<readonly Package[]> =>
  names.flatMap((name) => all.get(name) ?? []);

test('an index is read as apt prints it; of two versions the first one counts', () => {
  expect(all.get('tool')).toEqual({
    name: 'tool',
    version: '1:2.0-1',
    section: 'net',
    sha256: 'aa',
    size: 1234,
    depends: [['libone'], ['debconf', 'debconf-2.0'], ['libgone', 'libtwo'], ['zlib1g']],
  });
  expect(parsePackages('')).toEqual([]);
});

test('libraries come along, and nothing that only an installation needs', async () => {
  const { packages, missing } = await closureOf(['tool'], lookUp);
  expect(packages.map(({ name }) => name)).toEqual(['libc6', 'libone', 'libtwo', 'tool', 'zlib1g']);
  expect(missing).toEqual([]);
});

test('what is named comes along, whatever it is, and the order of the names makes no difference', async () => {
  const one = await closureOf(['tool', 'libone-data'], lookUp);
  const other = await closureOf(['libone-data', 'tool'], lookUp);
  expect(one.packages.map(({ name }) => name)).toContain('libone-data');
  expect(one).toEqual(other);
});

test('names that no package has', async () => {
  expect((await closureOf(['tool', 'nothing'], lookUp)).missing).toEqual(['nothing']);
});

test('every package is asked for once', async () => {
  const asked: string[] = [];
  await closureOf(['tool'], async (names) => {
    asked.push(...names);
    return await lookUp(names);
  });
  expect(asked.length).toBe(new Set(asked).size);
});
