import { lines, quote, rawScript, type Script } from '../../../model/script.ts';
import { protectedPaths } from './path.ts';

/** kxg_fail TEXT: ends the script with a message that the run shows, and takes the unfinished file kxg_t away. */
const FAIL = `kxg_fail() {
  [ -z "\${kxg_t:-}" ] || rm -rf -- "$kxg_t"
  printf '%s\\n' "$*" >&2
  exit 1
}`;

/** kxg_real PATH: sets kxg_r to PATH with the links in it followed, but not one that is its last part, unless to a directory. */
const REAL = `kxg_real() {
  if [ -d "$1" ]; then kxg_r=$(cd -P -- "$1" && pwd -P && echo x) || return 1; kxg_r="\${kxg_r%?x}"
  else kxg_r=$(cd -P -- "\${1%/*}/" && pwd -P && echo x) || return 1; kxg_r="\${kxg_r%?x}"; kxg_r="\${kxg_r%/}/\${1##*/}"; fi
  while :; do case "$kxg_r" in //*) kxg_r=\${kxg_r#/} ;; *) break ;; esac; done
}`;

/** kxg_mounts PATH [below]: whether PATH is a mount point, or also whether one lies below it. */
const MOUNTS = `kxg_mounts() {
  [ -r /proc/self/mountinfo ] || return 1
  kxg_real "$1" || return 1
  while read -r kxg_a kxg_a kxg_a kxg_a kxg_m kxg_a; do
    case "$kxg_m" in *\\\\*) kxg_m=$(printf '%b.' "$(printf '%s' "$kxg_m" | sed 's/\\\\\\([0-3]\\)/\\\\0\\1/g')"); kxg_m="\${kxg_m%.}" ;; esac
    [ "$kxg_m" = "$kxg_r" ] && return 0
    if [ "\${2:-}" = below ]; then case "$kxg_m" in "\${kxg_r%/}"/*) return 0 ;; esac; fi
  done </proc/self/mountinfo
  return 1
}`;

/**
 * kxg_guard DIRECTORY: ends the script if the directory is one of the system's, a home directory, or directly below the root.
 * Compares device and inode, never names: a link, a doubled slash or a bind mount leads to the same directory under a name
 * that no list has. What cannot be compared is refused.
 */
const GUARD = `kxg_guard() {
  kxg_root=$(stat -L -c %d:%i -- /) && kxg_own=$(stat -L -c %d:%i -- "$1") && kxg_above=$(stat -L -c %d:%i -- "$1/..") || kxg_fail "cannot look at $1"
  kxg_homes=$(stat -L -c %d:%i -- /home 2>/dev/null)
  kxg_kept=$(stat -L -c %d:%i -- ${protectedPaths().map(quote).join(' ')} 2>/dev/null)
  [ -n "$kxg_root" ] && [ -n "$kxg_own" ] && [ -n "$kxg_above" ] && [ -n "$kxg_kept" ] || kxg_fail "cannot look at $1"
  if [ "$kxg_own" = "$kxg_root" ] || [ "$kxg_above" = "$kxg_root" ] || [ "$kxg_above" = "$kxg_homes" ]; then
    kxg_fail "$1 is a directory of the system: it is never removed or replaced as a whole"
  fi
  case "
$kxg_kept
" in *"
$kxg_own
"*) kxg_fail "$1 is a directory of the system: it is never removed or replaced as a whole" ;; esac
}`;

/**
 * kxg_new FILE: an empty file that only root can read, at a name nobody else can have prepared. FILE is `$t`. In a directory
 * where others can write, the file is in a directory of ours there, and `$t` tells its new place.
 */
const NEW = `kxg_new() {
  [ -d "\${1%/*}/" ] || kxg_fail "the directory \${1%/*} does not exist; a directory step has to come first"
  kxg_t=$1 kxg_in=\${1%/*}
  kx_scratch "$1" "\${1##*/}" || kxg_fail "cannot write in $kxg_in"
  if [ -n "$kx_scratch" ]; then kxg_t=$kx_scratch t=$kx_tmp; trap 'rm -rf -- "$kx_scratch"' EXIT; else rm -rf -- "$1"; fi
  (umask 077; set -C; : >"$kx_tmp") || kxg_fail "cannot write in $kxg_in"
}`;

/**
 * kxg_place NEW PATH: gives a finished file its name. Never moves it into a directory that PATH leads to, and writes
 * through to a file that is a mount point (a container's /etc/hosts), which cannot be renamed over. SELinux labels follow
 * the name.
 */
const PLACE = `kxg_label() {
  [ ! -e /sys/fs/selinux/enforce ] || ! command -v restorecon >/dev/null || restorecon -- "$1"
}
kxg_place() {
  kxg_q=$2
  if [ -n "$kx_scratch" ] && [ "\${2%/*}" = "$kxg_in" ]; then kxg_q=/proc/self/fd/7/\${2##*/}; fi
  if [ -d "$kxg_q" ] && [ ! -L "$kxg_q" ]; then kxg_fail "$2 is a directory"; fi
  if [ -L "$kxg_q" ] && [ -d "$kxg_q" ]; then
    mv -fT -- "$1" "$kxg_q" 2>/dev/null || { rm -f -- "$kxg_q" && mv -fT -- "$1" "$kxg_q"; }
  elif [ -f "$kxg_q" ] && [ ! -L "$kxg_q" ] && kxg_mounts "$2"; then
    cat <"$1" >"$2" && chown -- "$(stat -c %u:%g -- "$1")" "$2" && chmod "$(stat -c %a -- "$1")" "$2" && rm -f -- "$1"
  else
    mv -fT -- "$1" "$kxg_q"
  fi && kxg_label "$2" || kxg_fail "cannot write $2"
}`;

const FUNCTIONS = {
  fail: [FAIL],
  guard: [FAIL, REAL, MOUNTS, GUARD],
  write: [FAIL, REAL, MOUNTS, GUARD, NEW, PLACE],
} as const;

/** A group of shell functions that scripts of generic steps may start with. */
export type ShellFunctions = keyof typeof FUNCTIONS;

/** A script that starts with the functions it needs. */
export function withFunctions(group: ShellFunctions, ...scripts: readonly Script[]): Script {
  return lines(...FUNCTIONS[group].map(rawScript), ...scripts);
}
