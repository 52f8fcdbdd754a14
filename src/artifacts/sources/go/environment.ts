import type { Arch } from '../../../model/catalog/schema.ts';

/** What the user set up for Go, in the environment or with `go env -w`, and the builds keep to. */
export const SETTINGS = [
  'GOAUTH',
  'GOCACHE',
  'GOINSECURE',
  'GOMODCACHE',
  'GONOPROXY',
  'GONOSUMDB',
  'GOPATH',
  'GOPRIVATE',
  'GOPROXY',
  'GOSUMDB',
  'GOVCS',
] as const;

/** Settings of Go by name. */
export type GoSettings = Readonly<Record<string, string>>;

type Env = Readonly<Record<string, string | undefined>>;

/** Where programs lie, who asks, and how the network is reached: all that a build takes from its surroundings. */
const KEPT = [
  'PATH',
  'HOME',
  'USER',
  'TMPDIR',
  'XDG_CACHE_HOME',
  'XDG_CONFIG_HOME',
  'HTTP_PROXY',
  'HTTPS_PROXY',
  'NO_PROXY',
  'http_proxy',
  'https_proxy',
  'no_proxy',
  'SSL_CERT_DIR',
  'SSL_CERT_FILE',
  'NETRC',
  'SSH_AUTH_SOCK',
  'GIT_ASKPASS',
  'GIT_SSH',
  'GIT_SSH_COMMAND',
];

/** Flags that change how fast or how tidy a build is, but not what it gives. */
const HARMLESS = /^--?(?:p=\d+|modcacherw(?:=(?:true|false))?)$/;

/** The user's GOFLAGS without what would change a result: the same source gives the same program for everybody. */
export function cleanGoFlags(flags: string): string {
  return flags
    .split(/\s+/)
    .filter((flag) => HARMLESS.test(flag))
    .join(' ');
}

/** Go counts what it does in files below the user's configuration. It is not kubexm's to let it. */
const NOWHERE = '/dev/null/none';

/** The environment for asking Go about its settings. */
export function askingEnv(env: Env): Record<string, string> {
  const given = ['GOENV', 'GOFLAGS', ...SETTINGS].flatMap((name) => entry(env, name));
  const config = env['XDG_CONFIG_HOME'] || `${env['HOME'] ?? ''}/.config`;
  // Where the user keeps Go's settings must be set, since Go does not get the rest of the configuration.
  const own = { GOENV: `${config}/go/env`, ...Object.fromEntries(given), XDG_CONFIG_HOME: NOWHERE };
  return { ...kept(env), ...own, GOTOOLCHAIN: 'local', GOWORK: 'off' };
}

/** What is built. */
export interface Target {
  readonly arch: Arch;
  readonly cgo: boolean;
  /** Of `chooseToolchain`. */
  readonly toolchain: string;
  /** Where Go puts what it needs only while it runs. */
  readonly temporary: string;
  /** What a C compiler needs to know, such as CC. */
  readonly compiler?: Readonly<Record<string, string>>;
  /** The user allows modules that nobody vouches for. */
  readonly unverified?: boolean;
}

/** Settings with which go takes modules that the checksum database does not vouch for, as the user wrote them. */
export function unverifiedBy(settings: GoSettings): readonly string[] {
  const off = settings['GOSUMDB'] === 'off' ? ['GOSUMDB=off'] : [];
  const lists = ['GOPRIVATE', 'GONOSUMDB', 'GOINSECURE'].filter((name) => !['', 'none'].includes(settings[name] ?? ''));
  return [...off, ...lists.map((name) => `${name}=${settings[name]}`)];
}

/** The same settings with every module verified, whatever the user excepts. Where modules are fetched from does not change. */
function verifying(settings: GoSettings): GoSettings {
  return { ...settings, GOINSECURE: '', GONOSUMDB: 'none' };
}

/** The environment of a build. Everything that would change a result is set, or is not there. */
export function buildEnv(env: Env, settings: GoSettings, target: Target): Record<string, string> {
  return {
    ...kept(env),
    ...Object.fromEntries(SETTINGS.flatMap((name) => entry(target.unverified ? settings : verifying(settings), name))),
    ...(target.cgo ? target.compiler : {}),
    CGO_ENABLED: target.cgo ? '1' : '0',
    GO111MODULE: 'on',
    GOAMD64: 'v1',
    GOARCH: target.arch,
    GOARM64: 'v8.0',
    GOENV: 'off',
    GOFLAGS: cleanGoFlags(settings['GOFLAGS'] ?? ''),
    GOOS: 'linux',
    GOTMPDIR: target.temporary,
    GOTOOLCHAIN: target.toolchain,
    GOWORK: 'off',
    GIT_TERMINAL_PROMPT: '0',
    SOURCE_DATE_EPOCH: '0',
    XDG_CONFIG_HOME: NOWHERE,
  };
}

function kept(env: Env): Record<string, string> {
  return { ...Object.fromEntries(KEPT.flatMap((name) => entry(env, name))), LC_ALL: 'C' };
}

function entry(env: Env, name: string): [string, string][] {
  const value = env[name];
  return value === undefined || value === '' ? [] : [[name, value]];
}
