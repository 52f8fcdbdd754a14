# shellcheck shell=dash
# What keeps directories of the system from being removed or replaced as a whole. Needs kxg_protected, which prints device and inode of
# those directories, a line each.

# PATH: sets kxg_real to it with the links in it followed, but not one that is its last part, unless to a directory.
kxg_real() {
  if [ -d "$1" ]; then
    kxg_real=$(cd -P -- "$1" && pwd -P && echo x) || return 1
    kxg_real=${kxg_real%?x}
  else
    kxg_real=$(cd -P -- "${1%/*}/" && pwd -P && echo x) || return 1
    kxg_real=${kxg_real%?x}
    kxg_real=${kxg_real%/}/${1##*/}
  fi
  while :; do
    case $kxg_real in
      //*) kxg_real=${kxg_real#/} ;;
      *) break ;;
    esac
  done
}

# PATH [below]: whether it is a mount point, or also whether one lies below it.
kxg_mounts() {
  local point='' x=''
  [ -r /proc/self/mountinfo ] || return 1
  kxg_real "$1" || return 1
  while read -r x x x x point x; do
    case $point in
      *\\*)
        point=$(printf '%b.' "$(printf '%s' "$point" | sed 's/\\\([0-3]\)/\\0\1/g')")
        point=${point%.}
        ;;
    esac
    [ "$point" = "$kxg_real" ] && return 0
    case ${2:-}:$point in below:"${kxg_real%/}"/*) return 0 ;; esac
  done </proc/self/mountinfo
  return 1
}

# DIRECTORY: ends the script if it is one of the system's, a home directory, or directly below the root. Compares device and inode,
# never names: a link, a doubled slash or a bind mount leads to the same directory under a name that no list has. What cannot be
# compared is refused.
kxg_guard() {
  local root='' own='' above='' homes='' kept=''
  root=$(stat -L -c %d:%i -- /) && own=$(stat -L -c %d:%i -- "$1") && above=$(stat -L -c %d:%i -- "$1/..") ||
    kxg_fail "cannot look at $1"
  homes=$(stat -L -c %d:%i -- /home 2>/dev/null)
  kept=$(kxg_protected)
  [ -n "$root" ] && [ -n "$own" ] && [ -n "$above" ] && [ -n "$kept" ] || kxg_fail "cannot look at $1"
  if [ "$own" = "$root" ] || [ "$above" = "$root" ] || [ "$above" = "$homes" ]; then
    kxg_fail "$1 is a directory of the system: it is never removed or replaced as a whole"
  fi
  case "
$kept
" in *"
$own
"*) kxg_fail "$1 is a directory of the system: it is never removed or replaced as a whole" ;; esac
}
