import type { Output } from '../../model/host.ts';
import { lines, rawScript, type Script, sh } from '../../model/script.ts';
import { compact, posix } from '../lib/text.ts';
import { packageManager } from './package-shell.ts';

/** A read-only script that prints what is held back from upgrades, in the words of the package manager. */
export function lookAtHolds(): Script {
  return lines(
    rawScript(packageManager),
    sh`kxp_find; echo "manager $kxp"
case $kxp in
  apt) apt-mark showhold ;;
  dnf) dnf -q -C versionlock list ;;
  yum) yum -q -C versionlock list ;;
  zypper) zypper --quiet --no-refresh locks ;;
esac 2>/dev/null
exit 0`,
  );
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

const CHANGE = compact(posix`
kxp_hold() {
  case $kxp/$1 in
    apt/*) apt-mark "$1" "$2" >/dev/null ;;
    dnf/hold | yum/hold) $kxp -q -y versionlock add "$2" >/dev/null ;;
    # One that was not held is no failure; the check that follows sees what is.
    dnf/unhold) dnf -q -y versionlock delete "$2" >/dev/null 2>&1 || : ;;
    yum/unhold) yum -q -y versionlock delete "*:$2-*" >/dev/null 2>&1 || : ;;
    zypper/hold) zypper --quiet --non-interactive addlock "$2" >/dev/null ;;
    zypper/unhold) zypper --quiet --non-interactive removelock "$2" >/dev/null ;;
    *)
      echo 'there is neither apt nor dnf, yum or zypper on this machine' >&2
      exit 1
      ;;
  esac || {
    kxp_code=$?
    case $kxp in dnf | yum) echo "is the plugin versionlock of $kxp installed?" >&2 ;; esac
    exit "$kxp_code"
  }
}
`);

/** Holds packages, and lets others go. */
export function changeHolds(hold: readonly string[], release: readonly string[]): Script {
  return lines(
    rawScript(packageManager),
    rawScript(CHANGE),
    rawScript('kxp_find'),
    ...hold.map((name) => sh`kxp_hold hold ${name}`),
    ...release.map((name) => sh`kxp_hold unhold ${name}`),
  );
}
