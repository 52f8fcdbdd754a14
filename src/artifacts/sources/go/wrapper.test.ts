import { describe, expect, it } from 'vitest';
import { parseGoMod } from './go-mod.ts';
import { compareVersions, wrapperText } from './wrapper.ts';

const BIG = parseGoMod(`module k8s.io/kubernetes
go 1.24.0
godebug default=go1.24
require (
	example.org/b v1.9.0
	example.org/a v1.10.0
	k8s.io/api v0.0.0
	k8s.io/klog/v2 v2.130.1
)
exclude example.org/a v1.11.0
replace (
	k8s.io/api => ./staging/src/k8s.io/api
	example.org/b => example.org/fork v1.9.1
)
`);

describe('wrapperText', () => {
  it('requires all that the module requires, and replaces what nobody published', () => {
    const build = {
      modules: [{ path: 'k8s.io/kubernetes', version: 'v1.34.2' }],
      replace: { modules: 'k8s.io/*', at: 'v0.0.0', by: 'v0.34.2' },
    };
    expect(wrapperText(build, [BIG])).toBe(`module kubexm.local/build
go 1.24.0
godebug default=go1.24
require example.org/a v1.10.0
require example.org/b v1.9.0
require k8s.io/api v0.0.0
require k8s.io/klog/v2 v2.130.1
require k8s.io/kubernetes v1.34.2
exclude example.org/a v1.11.0
replace k8s.io/api => k8s.io/api v0.34.2
replace example.org/b => example.org/fork v1.9.1
`);
  });

  it('takes the higher of two requirements and the newer of two languages, in whatever order the modules are', () => {
    const one = parseGoMod('module e.org/one\ngo 1.23\nrequire x.org/x v1.9.0\nrequire e.org/two v3.6.5\n');
    const two = parseGoMod('module e.org/two\ngo 1.24.2\nrequire x.org/x v1.10.0\n');
    const modules = [
      { path: 'e.org/one', version: 'v3.6.5' },
      { path: 'e.org/two', version: 'v3.6.5' },
    ];
    const text = `module kubexm.local/build
go 1.24.2
require e.org/one v3.6.5
require e.org/two v3.6.5
require x.org/x v1.10.0
`;
    expect(wrapperText({ modules }, [one, two])).toBe(text);
    expect(wrapperText({ modules: [...modules].reverse() }, [two, one])).toBe(text);
  });

  it('passes over what only a directory of the repository stands for, and builds a copy where files are left out', () => {
    const mod = parseGoMod(`module e.org/tool/v2
go 1.24.3
require e.org/tool/mod/testing v0.0.0
require e.org/tool/api v2.1.0
require x.org/x v0.0.0
replace e.org/tool/mod/testing v0.0.0 => ./mod/testing
replace e.org/tool/api => ./api
`);
    const modules = [{ path: 'e.org/tool/v2', version: 'v2.1.0' }];
    expect(wrapperText({ modules, without: ['cmd/tool/testing.go'] }, [mod])).toBe(`module kubexm.local/build
go 1.24.3
require e.org/tool/api v2.1.0
require e.org/tool/v2 v2.1.0
require x.org/x v0.0.0
exclude e.org/tool/mod/testing v0.0.0
replace e.org/tool/v2 => ./module
`);
  });
});

describe('compareVersions', () => {
  it.each([
    ['v1.9.0', 'v1.10.0'],
    ['v1.0.0-rc.1', 'v1.0.0'],
    ['v1.0.0-rc.2', 'v1.0.0-rc.10'],
    ['v1.0.0-1', 'v1.0.0-alpha'],
    ['v1.0.0-alpha', 'v1.0.0-alpha.1'],
    ['v0.0.0-20161109143554-76bb4ee9f0ab', 'v0.0.0-20190214190532-5111143e8da2'],
    ['v2.3.0', 'v2.3.1+incompatible'],
  ])('%s is older than %s', (older, newer) => {
    expect(compareVersions(older, newer)).toBeLessThan(0);
    expect(compareVersions(newer, older)).toBeGreaterThan(0);
    expect(compareVersions(older, older)).toBe(0);
  });
});
