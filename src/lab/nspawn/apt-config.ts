/**
 * Mounts memory on `$1` and keeps there what the first `$2` bytes of its input say; then becomes the rest, which reads the rest
 * of the input. In a mount namespace: nobody else sees the file, and it is gone with the last process, however that ended.
 */
const KEEP = `set -eu
umask 077
mount -t tmpfs -o mode=0700 tmpfs "$1"
head -c "$2" >"$1/apt.conf"
shift 2
exec "$@"`;

/** A command that reads settings of apt from a file, and the rest of its input as it is. */
export interface WithAptConfig {
  /** To be run in a mount namespace of its own. */
  readonly command: readonly string[];
  readonly input: string;
}

/** What a configuration of apt says to read the file. */
export function includeAptConfig(dir: string): string {
  return `#include "${dir}/apt.conf";`;
}

/**
 * Gives settings of apt to a command as a file: passwords of proxies are among them, and whatever stands in a command line can
 * be read by everybody. `dir` is empty, and stays empty for all others.
 */
export function withAptConfig(
  dir: string,
  settings: readonly string[],
  command: readonly string[],
  input: string,
): WithAptConfig {
  const text = settings.map((line) => `${line}\n`).join('');
  return {
    command: ['sh', '-c', KEEP, 'apt-config', dir, String(Buffer.byteLength(text)), ...command],
    input: text + input,
  };
}
