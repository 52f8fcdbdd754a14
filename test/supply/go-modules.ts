import type { BuildNeed } from '../../src/model/catalog/need.ts';
import { type FakeModule, FakeSumdb, published, type Said } from './go-fake.ts';

const main = (word: string) =>
  `package main\n\nimport (\n\t"os"\n\n\t"example.org/lib"\n)\n\nvar version = "none"\n\nfunc main() { os.Stdout.WriteString("${word} " + version + " " + lib.Word + "\\n") }\n`;
const LIB: FakeModule = {
  path: 'example.org/lib',
  version: 'v1.2.3',
  files: { 'go.mod': 'module example.org/lib\n\ngo 1.21\n', 'lib.go': 'package lib\n\nconst Word = "lib-1.2.3"\n' },
};
const TOOL: FakeModule = {
  path: 'example.org/tool',
  version: 'v1.0.0',
  files: {
    'go.mod': 'module example.org/tool\n\ngo 1.21\n\nrequire example.org/lib v1.2.3\n',
    'go.sum': '',
    'cmd/one/main.go': main('one'),
    'cmd/two/main.go': main('two'),
    'vendor/modules.txt': '# nothing is vendored\n',
  },
};
/** Requires a module of its own repository at a version that nobody published. */
const BIG: FakeModule = {
  path: 'example.org/big',
  version: 'v1.0.0',
  files: {
    'go.mod':
      'module example.org/big\n\ngo 1.21\n\nrequire example.org/lib v0.0.0\n\nreplace example.org/lib => ./staging/lib\n',
    'cmd/three/main.go': main('three'),
  },
};
/** Helpers of its tests lie among its sources, and need a module that is nowhere but in its repository. */
const HELPERS: FakeModule = {
  path: 'example.org/helped',
  version: 'v1.0.0',
  files: {
    'go.mod':
      'module example.org/helped\n\ngo 1.21\n\nrequire example.org/helped/mod/check v0.0.0\n\nrequire example.org/lib v1.2.3\n\nreplace example.org/helped/mod/check v0.0.0 => ./mod/check\n',
    'cmd/four/main.go': main('four'),
    'cmd/four/testing.go': 'package main\n\nimport _ "example.org/helped/mod/check"\n',
  },
};
const BROKEN: FakeModule = {
  path: 'example.org/broken',
  version: 'v1.0.0',
  files: {
    'go.mod': 'module example.org/broken\n\ngo 1.21\n',
    'main.go': 'package main\n\nfunc main() { nothing() }\n',
  },
};
const WITH_C: FakeModule = {
  path: 'example.org/withc',
  version: 'v1.0.0',
  files: {
    'go.mod': 'module example.org/withc\n\ngo 1.21\n',
    'main.go': 'package main\n\n// int three(void) { return 3; }\nimport "C"\n\nfunc main() { println(C.three()) }\n',
  },
};
/** Nobody has a Go that is new enough. */
const FUTURE: FakeModule = {
  path: 'example.org/future',
  version: 'v1.0.0',
  files: { 'go.mod': 'module example.org/future\n\ngo 1.999.0\n', 'main.go': 'package main\n\nfunc main() {}\n' },
};

/** Vouches for all modules here. */
export const sumdb = new FakeSumdb();
/** Modules as a proxy publishes them. */
export const MODULES = published([LIB, withSums(TOOL), BIG, HELPERS, BROKEN, WITH_C, FUTURE]);
/** What an honest proxy says. */
export const GOOD: Readonly<Record<string, Said>> = { ...MODULES.said, ...sumdb.files(MODULES.records) };

/** A module says in its go.sum what it was released with. */
function withSums(module: FakeModule): FakeModule {
  const sums = Object.values(published([LIB]).records).join('');
  return { ...module, files: { ...module.files, 'go.sum': sums } };
}

/** Two programs, built inside their module. */
export const RECIPE: BuildNeed = {
  style: 'module',
  modules: [{ path: 'example.org/tool', version: 'v1.0.0' }],
  programs: { 'program-one': 'example.org/tool/cmd/one', two: 'example.org/tool/cmd/two' },
  arches: ['amd64', 'arm64'],
  cgo: false,
  needs: [],
  tags: [],
  ldflags: ['-X main.version=v1.0.0'],
};
/** A program whose requirements nobody published at that version. */
export const STAGED: BuildNeed = {
  ...RECIPE,
  style: 'wrapper',
  modules: [{ path: 'example.org/big', version: 'v1.0.0' }],
  programs: { three: 'example.org/big/cmd/three' },
  replace: { modules: 'example.org/*', at: 'v0.0.0', by: 'v1.2.3' },
};
/** A program that is built without helpers of its tests. */
export const HELPED: BuildNeed = {
  ...RECIPE,
  style: 'wrapper',
  modules: [{ path: 'example.org/helped', version: 'v1.0.0' }],
  programs: { four: 'example.org/helped/cmd/four' },
  without: ['cmd/four/testing.go'],
};
/** A recipe for a module that is one program. */
export const only = (name: string, more: Partial<BuildNeed> = {}): BuildNeed => ({
  ...RECIPE,
  modules: [{ path: `example.org/${name}`, version: 'v1.0.0' }],
  programs: { [name]: `example.org/${name}` },
  ...more,
});
