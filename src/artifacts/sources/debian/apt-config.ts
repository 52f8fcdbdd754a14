import type { Arch } from '../../../model/catalog/schema.ts';

/** Passwords of proxies go by the environment, never by arguments: those everybody can read. */
export function aptEnvironment(
  env: Readonly<Record<string, string | undefined>>,
  config: string,
): Readonly<Record<string, string>> {
  const path = env['PATH'] || '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin';
  const proxies = ['http_proxy', 'https_proxy', 'no_proxy'].flatMap((name) => {
    // apt knows them in lower case only.
    const value =
      env[name] ??
      env[name.toUpperCase()] ??
      (name === 'no_proxy' ? undefined : (env['all_proxy'] ?? env['ALL_PROXY']));
    return value ? [[name, value] as const] : [];
  });
  return { PATH: path, HOME: env['HOME'] ?? '/', LC_ALL: 'C', APT_CONFIG: config, ...Object.fromEntries(proxies) };
}

const SOURCES = 'sourcelist|sourceparts|netrc|netrcparts|preferences|preferencesparts|trusted|trustedparts';
const THEIRS = new RegExp(`^(Acquire(::[^\\s"]*)?|Dir|Dir::Etc(::(${SOURCES}))?|APT::Default-Release) "`);

/** How the machine reaches its sources, from what `apt-config dump` prints, and everything else of our own. */
export function aptConfig(theirs: string, root: string, arch: Arch): string {
  const kept = theirs.split('\n').filter((line) => THEIRS.test(line));
  return [
    ...kept,
    // None of the machine's own settings beside those: hooks would change it.
    'Dir::Etc::main "/dev/null";',
    'Dir::Etc::parts "/dev/null";',
    `Dir::State "${root}/state";`,
    `Dir::State::status "${root}/state/status";`,
    `Dir::Cache "${root}/cache";`,
    `APT::Architecture "${arch}";`,
    '#clear APT::Architectures;',
    `APT::Architectures { "${arch}"; };`,
    // The sandbox's user cannot read a directory of somebody's own.
    'APT::Sandbox::User "root";',
    'APT::Get::AllowUnauthenticated "false";',
    'Acquire::AllowInsecureRepositories "false";',
    'Acquire::AllowDowngradeToInsecureRepositories "false";',
    '#clear Acquire::Languages;',
    'Acquire::Languages { "none"; };',
    'Acquire::Retries "2";',
    'Acquire::http::Timeout "15";',
    'Acquire::https::Timeout "15";',
    '',
  ].join('\n');
}
