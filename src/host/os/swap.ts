import { lines, rawScript, type Script, sh } from '../../model/script.ts';
import { posix } from '../lib/text.ts';

/** Swap space in use. A type, so that it is Json too. */
export type SwapSpace = {
  readonly name: string;
  readonly type: string;
  readonly priority: number;
};

/** What brings swap back at the next start. */
export interface SeenSwap {
  readonly on: readonly SwapSpace[];
  /** Lines of /etc/fstab that are in force. */
  readonly fstab: readonly string[];
  /** systemd's swap units that others make (zram, partitions it finds by itself): a mask stops them. */
  readonly generated: readonly string[];
  /** Swap units of the administrator's own that are enabled, and services that make swap space. */
  readonly enabled: readonly string[];
}

/** What a line of fstab that kubexm has taken out of force begins with. */
const FSTAB_MARK = '#kubexm-swap# ';

/** A line of fstab in force whose third field is swap. */
const FSTAB_LINE = String.raw`^[[:space:]]*[^#[:space:]][^[:space:]]*[[:space:]]\{1,\}[^[:space:]]\{1,\}[[:space:]]\{1,\}swap\([[:space:]].*\)*$`;

/**
 * Units made from fstab go with its lines. Of the rest, a unit that is generated at every boot, or comes with a package, is
 * masked; one that the administrator has written counts when something wants it, as do services that make swap space.
 */
const UNITS = rawScript(posix`
kxo_swap_units() {
  for kxo_f in /run/systemd/generator/*.swap /run/systemd/generator.late/*.swap /usr/lib/systemd/system/*.swap /lib/systemd/system/*.swap; do
    [ -f "$kxo_f" ] && [ ! -L "$kxo_f" ] || continue
    [ ! -L "/etc/systemd/system/\${kxo_f##*/}" ] && [ ! -e "/etc/systemd/system/\${kxo_f##*/}" ] || continue
    grep -qx 'SourcePath=/etc/fstab' "$kxo_f" || printf 'generated %s\n' "\${kxo_f##*/}"
  done
  for kxo_f in /etc/systemd/system/*.swap; do
    [ -f "$kxo_f" ] && [ ! -L "$kxo_f" ] || continue
    for kxo_w in /etc/systemd/system/*.wants/"\${kxo_f##*/}" /etc/systemd/system/*.requires/"\${kxo_f##*/}"; do
      [ ! -L "$kxo_w" ] || { printf 'enabled %s\n' "\${kxo_f##*/}"; break; }
    done
  done
  for kxo_f in zramswap.service zram-config.service zram-swap.service dphys-swapfile.service systemd-swap.service; do
    for kxo_w in /etc/systemd/system/*.wants/"$kxo_f"; do
      [ ! -L "$kxo_w" ] || { printf 'enabled %s\n' "$kxo_f"; break; }
    done
  done
}`);

/** A read-only script that tells what swap is on, and what turns it on at the next start. */
export function lookAtSwap(): Script {
  return lines(
    UNITS,
    sh`{ read -r name; while read -r name type size used priority; do printf 'on %s %s %s\\n' "$name" "$type" "$priority"; done; } </proc/swaps 2>/dev/null
[ ! -f /etc/fstab ] || grep -e ${FSTAB_LINE} /etc/fstab | while IFS= read -r line; do printf 'fstab %s\\n' "$line"; done
[ ! -d /run/systemd/system ] || kxo_swap_units`,
  );
}

/** Reads what `lookAtSwap` printed. */
export function seenSwap(answer: string): SeenSwap {
  const all = answer.split('\n');
  const after = (word: string) =>
    all.filter((line) => line.startsWith(`${word} `)).map((line) => line.slice(word.length + 1));
  return {
    on: after('on').map((line) => {
      const [name = '', type = '', priority = ''] = line.split(' ');
      return { name: unescaped(name), type, priority: Number(priority) };
    }),
    fstab: after('fstab'),
    generated: [...new Set(after('generated'))],
    enabled: after('enabled'),
  };
}

/** The kernel writes blanks in names as octal numbers. */
function unescaped(name: string): string {
  return Buffer.from(
    name.replace(/\\([0-7]{3})/g, (_whole, digits: string) => String.fromCharCode(Number.parseInt(digits, 8))),
    'latin1',
  ).toString('utf8');
}

/** Where fstab really is, in `$p`. */
const FSTAB = sh`p=/etc/fstab; [ ! -L "$p" ] || p=$(readlink -f -- "$p")`;

/** A sed expression that takes the swap lines of fstab out of force. */
export const TAKE_OUT = `s/${FSTAB_LINE.replace('^', '^\\(').replace(/\$$/, '\\)$')}/${FSTAB_MARK}\\1/`;

/** A sed expression that puts them in force again. */
export const PUT_IN = `s/^${FSTAB_MARK}//`;

/** Edits fstab: `place` gives the file `$t` the name `$p`. The rest of the file stays as it is, byte for byte. */
export function editFstab(expression: string, start: Script, place: Script): Script {
  return sh`${FSTAB}
t=\${p%/*}/.kubexm-fstab
rm -f -- "$t"
if [ -f "$p" ] && [ "$(sed -e ${expression} "$p")" != "$(cat "$p")" ]; then
  ${start}
  sed -e ${expression} "$p" >"$t" && chown -- "$(stat -c %u:%g -- "$p")" "$t" && chmod "$(stat -c %a -- "$p")" "$t" || kxg_fail "cannot write $t"
  ${place}
fi`;
}

/** Keeps units from being started at the next start. systemd reads fstab and units again. */
export const STOP_UNITS = lines(
  UNITS,
  rawScript(posix`
if [ -d /run/systemd/system ]; then
  units=$(kxo_swap_units) || exit 1
  while read -r how unit; do
    case $how in
      generated) ln -s /dev/null "/etc/systemd/system/$unit" || kxg_fail "cannot mask $unit" ;;
      enabled) systemctl disable --quiet -- "$unit" || kxg_fail "cannot disable $unit" ;;
    esac
  done <<KXO_END
$units
KXO_END
  systemctl daemon-reload || kxg_fail "systemd does not read its units again"
fi`),
);

/** Turns off all swap that is on. The list is read first: it gets shorter under a reader. Blanks in names are octal numbers. */
export const TURN_OFF = rawScript(posix`
swaps=$(cat /proc/swaps)
while read -r name type rest; do
  case $type in partition | file) ;; *) continue ;; esac
  case $name in *\\*) name=$(printf '%b.' "$(printf '%s' "$name" | sed 's/\\\([0-3]\)/\\0\1/g')"); name=\${name%.} ;; esac
  why=$(swapoff "$name" 2>&1) || kxg_fail "swap on $name cannot be turned off: \${why:-is there enough free memory?}"
done <<KXO_END
$swaps
KXO_END`);

/** Lets units be started again that `STOP_UNITS` has kept from it. */
export function freeUnits(generated: readonly string[], enabled: readonly string[]): Script {
  return lines(
    ...generated.map((unit) => {
      const path = `/etc/systemd/system/${unit}`;
      return sh`[ ! -L ${path} ] || [ "$(readlink ${path})" != /dev/null ] || rm -f -- ${path} || exit 1`;
    }),
    sh`if [ -d /run/systemd/system ]; then`,
    ...enabled.map((unit) => sh`systemctl enable --quiet -- ${unit} || exit 1`),
    sh`systemctl daemon-reload || exit 1
fi`,
  );
}

/** Turns swap on again that was on: what is gone by now is reported on stderr. A priority below zero is the kernel's own. */
export function turnOn(spaces: readonly SwapSpace[]): Script {
  return lines(
    ...spaces.map(({ name, priority }) => {
      const escaped = name.replace(/[ \t\n\\]/g, (c) => `\\${c.charCodeAt(0).toString(8).padStart(3, '0')}`);
      const how = priority >= 0 ? ['-p', priority, name] : [name];
      return sh`found=
while read -r name rest; do [ "$name" != ${escaped} ] || found=1; done </proc/swaps
if [ -n "$found" ]; then :
elif [ ! -e ${name} ]; then printf 'swap %s is gone: it stays off\\n' ${name} >&2
else swapon ${how} || exit 1; fi`;
    }),
  );
}
