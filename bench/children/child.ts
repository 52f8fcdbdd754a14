import { readFileSync } from 'node:fs';

/** A named argument of a measured process: `name=value`. */
export function arg(name: string): string {
  const found = process.argv.find((one) => one.startsWith(`${name}=`));
  if (found === undefined) throw new TypeError(`the argument ${name}=… is missing`);
  return found.slice(name.length + 1);
}

/** What a measured process has to say: one line of JSON, its last. */
export function answer(value: Readonly<Record<string, unknown>>): void {
  process.stdout.write(`${JSON.stringify(value)}\n`);
}

/** The most memory this process has held. `maxRSS` will not do: it remembers the process that this one was forked from. */
export function peakMb(): number {
  const kb = /^VmHWM:\s+(\d+) kB$/m.exec(readFileSync('/proc/self/status', 'utf8'))?.[1];
  return kb === undefined ? process.resourceUsage().maxRSS / 1024 : Number(kb) / 1024;
}
