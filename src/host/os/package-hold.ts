import type { Output } from '../../model/host.ts';
import { lines, rawScript, type Script, sh } from '../../model/script.ts';
import { shellSource } from '../shell-source.ts';

const FUNCTIONS = lines(
  rawScript(shellSource(new URL('./package-manager.sh', import.meta.url))),
  rawScript(shellSource(new URL('./package-hold.sh', import.meta.url))),
);

/** A read-only script that prints what is held back from upgrades, in the words of the package manager. */
export function lookAtHolds(): Script {
  return lines(FUNCTIONS, sh`kxp_holds`);
}

/** The names of what is held, of whatever manager; undefined without one. */
export function parseHolds(output: Output): readonly string[] | undefined {
  const [first = '', ...rest] = output.stdout.split('\n');
  const manager = first.replace(/^manager /, '');
  if (manager === 'none' || output.code !== 0) return undefined;
  const names = rest.flatMap((line) => nameIn(manager, line.trim()) ?? []);
  return [...new Set(names)].toSorted();
}

function nameIn(manager: string, line: string): string | undefined {
  switch (manager) {
    case 'apt':
      return line === '' ? undefined : line.replace(/:[a-z0-9]+$/, '');
    case 'dnf':
      // dnf 4 lists NAME-EPOCH:VERSION-RELEASE.*, dnf 5 tells the name on a line of its own.
      return /^Package name: (\S+)$/.exec(line)?.[1] ?? /^([A-Za-z0-9][^!\s]*?)-\d+:[^-\s]+-[^-\s]+$/.exec(line)?.[1];
    case 'yum':
      return /^\d+:(\S+)-[^-\s]+-[^-\s]+$/.exec(line)?.[1];
    case 'zypper':
      return /^\d+\s*\|\s*(\S+)\s*\|\s*package\b/.exec(line)?.[1];
    default:
      return undefined;
  }
}

/** Holds packages, and lets others go. */
export function changeHolds(hold: readonly string[], release: readonly string[]): Script {
  return lines(
    FUNCTIONS,
    sh`kxp_find`,
    ...hold.map((name) => sh`kxp_hold hold ${name}`),
    ...release.map((name) => sh`kxp_hold unhold ${name}`),
  );
}
