# shellcheck shell=dash
# Writing files beside their place, and giving them their name.

# FILE: an empty file that only root can read, at a name nobody else can have prepared, in kxg_file. In a directory where others can
# write it is in a directory of ours there. Until it is placed, kxg_fail removes it (kxg_t); kxg_in is the directory of FILE.
kxg_new() {
  [ -d "${1%/*}/" ] || kxg_fail "the directory ${1%/*} does not exist; a directory step has to come first"
  kxg_t=$1 kxg_in=${1%/*} kxg_file=$1
  kx_scratch "$1" "${1##*/}" || kxg_fail "cannot write in $kxg_in"
  if [ -n "$kx_scratch" ]; then
    kxg_t=$kx_scratch kxg_file=$kx_tmp
    trap 'rm -rf -- "$kx_scratch"' EXIT
  else
    rm -rf -- "$1"
  fi
  (
    umask 077
    set -C
    : >"$kx_tmp"
  ) || kxg_fail "cannot write in $kxg_in"
}

# PATH: its SELinux label follows its name.
kxg_label() {
  [ ! -e /sys/fs/selinux/enforce ] || ! command -v restorecon >/dev/null || restorecon -- "$1"
}

# NEW PATH: gives a finished file its name. Never moves it into a directory that PATH leads to, and writes through to a file that is a
# mount point (a container's /etc/hosts), which cannot be renamed over.
kxg_place() {
  local to="$2"
  if [ -n "$kx_scratch" ] && [ "${2%/*}" = "$kxg_in" ]; then to=/proc/self/fd/7/${2##*/}; fi
  if [ -d "$to" ] && [ ! -L "$to" ]; then kxg_fail "$2 is a directory"; fi
  if [ -L "$to" ] && [ -d "$to" ]; then
    mv -fT -- "$1" "$to" 2>/dev/null || { rm -f -- "$to" && mv -fT -- "$1" "$to"; }
  elif [ -f "$to" ] && [ ! -L "$to" ] && kxg_mounts "$2"; then
    cat <"$1" >"$2" && chown -- "$(stat -c %u:%g -- "$1")" "$2" && chmod "$(stat -c %a -- "$1")" "$2" && rm -f -- "$1"
  else
    mv -fT -- "$1" "$to"
  fi && kxg_label "$2" || kxg_fail "cannot write $2"
}
