/** Whether a kernel, such as `6.1.0-28-amd64`, is at least as new as `5.13`. One that cannot be read is not. */
export function kernelSince(kernel: string, minimum: string): boolean {
  const [major, minor] = numbers(kernel);
  const [leastMajor, leastMinor] = numbers(minimum);
  return major > leastMajor || (major === leastMajor && minor >= leastMinor);
}

function numbers(version: string): readonly [number, number] {
  const [, major = '0', minor = '0'] = /^(\d+)\.(\d+)/.exec(version) ?? [];
  return [Number(major), Number(minor)];
}
