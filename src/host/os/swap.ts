import { lines, rawScript, type Script, sh } from '../../model/script.ts';
import { shellSource } from '../shell-source.ts';

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

/** What the scripts below are made of. */
export const SWAP_FUNCTIONS = rawScript(shellSource(new URL('./swap.sh', import.meta.url)));

/** A read-only script that tells what swap is on, and what turns it on at the next start. */
export function lookAtSwap(): Script {
  return lines(SWAP_FUNCTIONS, sh`kxo_swap_look ${FSTAB_LINE}`);
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

/** Keeps units from turning swap on at the next start, and turns off all swap that is on. */
export const TURN_OFF = lines(SWAP_FUNCTIONS, sh`kxo_swap_stop_units`, sh`kxo_swap_off`);

/** Lets units be started again that `TURN_OFF` has kept from it. Needs `SWAP_FUNCTIONS`. */
export function freeUnits(generated: readonly string[], enabled: readonly string[]): Script {
  return lines(
    ...generated.map((unit) => sh`kxo_swap_unmask ${unit} || exit 1`),
    sh`if [ -d /run/systemd/system ]; then`,
    ...enabled.map((unit) => sh`systemctl enable --quiet -- ${unit} || exit 1`),
    sh`systemctl daemon-reload || exit 1
fi`,
  );
}

/** Turns swap on again that was on: what is gone by now is reported. Needs `SWAP_FUNCTIONS`. */
export function turnOn(spaces: readonly SwapSpace[]): Script {
  return lines(
    ...spaces.map(({ name, priority }) => {
      const escaped = name.replace(/[ \t\n\\]/g, (c) => `\\${c.charCodeAt(0).toString(8).padStart(3, '0')}`);
      return sh`kxo_swap_on ${name} ${priority} ${escaped} || exit 1`;
    }),
  );
}
