import { describe, expect, it } from 'vitest';
import { askingEnv, buildEnv, cleanGoFlags, unverifiedBy } from './environment.ts';

describe('cleanGoFlags', () => {
  it.each([
    ['', ''],
    ['-buildvcs=false', ''],
    ['-mod=vendor -p=1 -tags=x', '-p=1'],
    ['-modcacherw  --p=4', '-modcacherw --p=4'],
    ['-ldflags=-X=main.version=1 -insecure -trimpath=false -modfile=/x', ''],
  ])('%s is %s', (given, clean) => {
    expect(cleanGoFlags(given)).toBe(clean);
  });
});

const TARGET = { arch: 'arm64', cgo: false, toolchain: 'local', temporary: '/w' } as const;

describe('buildEnv', () => {
  const surroundings = {
    PATH: '/bin',
    HOME: '/home/u',
    HTTPS_PROXY: 'http://p',
    CGO_CFLAGS: '-O0',
    GOEXPERIMENT: 'x',
    GOAMD64: 'v3',
    GOWORK: '/elsewhere/go.work',
    LD_LIBRARY_PATH: '/x',
    LANG: 'de_DE',
  };
  const settings = { GOPROXY: 'https://m', GOSUMDB: 'sum.x', GOPRIVATE: '', GOFLAGS: '-p=1 -mod=mod', GOCACHE: '/c' };

  it('keeps to what the user set up, and to nothing that would change a result', () => {
    expect(buildEnv(surroundings, settings, TARGET)).toEqual({
      PATH: '/bin',
      HOME: '/home/u',
      HTTPS_PROXY: 'http://p',
      LC_ALL: 'C',
      GOPROXY: 'https://m',
      GOSUMDB: 'sum.x',
      GONOSUMDB: 'none',
      GOCACHE: '/c',
      CGO_ENABLED: '0',
      GO111MODULE: 'on',
      GOAMD64: 'v1',
      GOARCH: 'arm64',
      GOARM64: 'v8.0',
      GOENV: 'off',
      GOFLAGS: '-p=1',
      GOOS: 'linux',
      GOTMPDIR: '/w',
      GOTOOLCHAIN: 'local',
      GOWORK: 'off',
      GIT_TERMINAL_PROMPT: '0',
      SOURCE_DATE_EPOCH: '0',
      XDG_CONFIG_HOME: '/dev/null/none',
    });
  });

  it('verifies everything, whatever the user excepts, unless that is allowed', () => {
    const lax = { GOPRIVATE: '*', GONOSUMDB: '*', GOINSECURE: '*', GONOPROXY: 'corp.example' };
    const strict = buildEnv({}, lax, TARGET);
    expect(strict).toMatchObject({ GONOSUMDB: 'none', GONOPROXY: 'corp.example', GOPRIVATE: '*' });
    expect(strict).not.toHaveProperty('GOINSECURE');
    expect(buildEnv({}, lax, { ...TARGET, unverified: true })).toMatchObject(lax);
  });

  it.each([
    [{ GOSUMDB: 'off' }, ['GOSUMDB=off']],
    [{ GOPRIVATE: 'a.example', GONOSUMDB: 'a.example' }, ['GOPRIVATE=a.example', 'GONOSUMDB=a.example']],
    [{ GOINSECURE: '*' }, ['GOINSECURE=*']],
    [{ GOSUMDB: 'sum.golang.org', GONOSUMDB: 'none', GOPRIVATE: '' }, []],
  ])('%j is lax: %j', (settings, found) => {
    expect(unverifiedBy(settings as Record<string, string>)).toEqual(found);
  });

  it('tells about the compiler only where there is C', () => {
    const compiler = { CC: 'aarch64-linux-gnu-gcc' };
    expect(buildEnv({}, {}, { ...TARGET, compiler })).not.toHaveProperty('CC');
    expect(buildEnv({}, {}, { ...TARGET, cgo: true, compiler })).toMatchObject({ ...compiler, CGO_ENABLED: '1' });
  });
});

describe('askingEnv', () => {
  it('lets go read the settings of the user, with the toolchain that is installed', () => {
    expect(askingEnv({ GOPROXY: 'https://m', GOENV: '/e', GOTOOLCHAIN: 'go1.99', OTHER: 'x' })).toEqual({
      GOPROXY: 'https://m',
      GOENV: '/e',
      GOTOOLCHAIN: 'local',
      GOWORK: 'off',
      LC_ALL: 'C',
      XDG_CONFIG_HOME: '/dev/null/none',
    });
  });
});
