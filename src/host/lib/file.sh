# shellcheck shell=dash
# Files: written beside their place and renamed into it.

# PATH MODE OWNER SHA256 ESCAPED: writes a file atomically. ESCAPED as printf %b takes it; a builtin, so that no argv
# shows it. With a digest the file gets its name only if it is right.
kx_write() {
  local code=''
  if [ -d "$1" ] && [ ! -L "$1" ]; then
    echo "$1 is a directory" >&2
    return 1
  fi
  kx_scratch "$1" ".${1##*/}.kx$$" || return
  [ ! -e "$kx_tmp" ] && [ ! -L "$kx_tmp" ] || rm -f -- "$kx_tmp"
  # Created here or not at all: a link that somebody prepared under this name is never followed.
  (
    set -C
    printf '%b' "$5" >"$kx_tmp"
  ) && kx_is "$kx_tmp" "$4" && kx_settle "$kx_tmp" "$kx_to" "$2" "$3"
  code=$?
  [ "$code" = 0 ] || rm -f "$kx_tmp"
  kx_scratch_end
  return "$code"
}

# FILE SHA256: whether the file has it; true without one.
kx_is() {
  local got=''
  [ -n "$2" ] || return 0
  got=$(kx_sha256 "$1") || return
  [ "$got" = "$2" ] || {
    echo "sha256 $got" >&2
    return 65
  }
}

# FROM TO MODE OWNER: gives a file its owner, mode and name, in this order: chown clears special bits.
kx_settle() {
  { [ -z "$4" ] || chown -- "$4" "$1"; } && chmod -- "$3" "$1" && kx_rename "$1" "$2"
}

# FROM TO: busybox does not rename over a link that leads to a directory; the link goes first then.
kx_rename() {
  mv -fT -- "$1" "$2" 2>/dev/null && return
  [ ! -L "$2" ] || rm -f -- "$2" || return
  mv -fT -- "$1" "$2"
}

# PATH: its size in bytes.
kx_size() {
  local count=''
  count=$(wc -c <"$1") || return
  echo $((count))
}

# PATH SHA256 MODE OWNER: what is there before a transfer: "same", or size and digest of a partial file.
kx_put_look() {
  local inode='' marks=''
  if [ -d "$1" ] && [ ! -L "$1" ]; then
    echo "$1 is a directory" >&2
    return 1
  fi
  kx_part "$1" "$2" || return
  # By descriptor: what has this name may be something else by the time of the next command.
  if [ -f "$kx_to" ] && [ ! -L "$kx_to" ] && { command exec 6<"$kx_to"; } 2>/dev/null; then
    inode=$(stat -c %d:%i -- "$kx_to" 2>/dev/null)
    if [ "$inode" = "$(stat -L -c %d:%i -- /proc/self/fd/6)" ] && [ "$(kx_sha256 /proc/self/fd/6)" = "$2" ]; then
      # Only where it differs: what is not touched stays known.
      [ -z "$4" ] || [ "$(stat -L -c %U:%G -- /proc/self/fd/6)" = "$4" ] || chown -- "$4" /proc/self/fd/6 || return
      [ "0$(stat -L -c %a -- /proc/self/fd/6)" = "$3" ] || chmod -- "$3" /proc/self/fd/6 || return
      kx_scratch_end
      echo same
      return
    fi
  fi
  if [ -f "$kx_tmp" ] && [ ! -L "$kx_tmp" ] && [ -O "$kx_tmp" ]; then
    marks=$(kx_marks "$kx_tmp") && echo "${marks%% *} $(kx_sha256 "$kx_tmp")"
  else
    kx_put_anew && echo 0 -
  fi
}

# Whatever has the name of the partial file goes.
kx_put_anew() { [ ! -e "$kx_tmp" ] && [ ! -L "$kx_tmp" ] || rm -f "$kx_tmp"; }

# PATH SHA256: the partial file's name, in kx_tmp. It tells its content, so that a stale one is never continued.
kx_part() { kx_scratch "$1" ".${1##*/}.${2%"${2#????????????????}"}.part" keep; }

# PATH SHA256 SIZE: whether the partial file is what was meant; prints its marks. What is not goes, unless its size is another: 66.
kx_put_check() {
  local code='' marks=''
  kx_part "$1" "$2" && marks=$(kx_marks "$kx_tmp") || return
  [ "${marks%% *}" = "$3" ] || return 66
  kx_is "$kx_tmp" "$2" && printf 'marks %s\n' "$marks" && return
  code=$?
  [ "$code" != 65 ] || rm -f "$kx_tmp"
  return "$code"
}

# PATH SHA256 MODE OWNER MARKS: a partial file that was found to be what was meant gets its name. 67: it is not that file.
kx_put_name() {
  kx_part "$1" "$2" || return
  [ -f "$kx_tmp" ] && [ "$(kx_marks "$kx_tmp")" = "$5" ] || {
    [ -e "$kx_tmp" ] || kx_scratch_end
    return 67
  }
  kx_settle "$kx_tmp" "$kx_to" "$3" "$4" || return
  kx_put_note "$kx_to" "$2" "$5"
  kx_scratch_end
}

# PATH SHA256 MARKS: the file that was given its name just now is the one that had these marks: what it has is known. Until a
# moment ago only we could write it.
kx_put_note() {
  local marks=''
  marks=$(kx_marks "$1") && kx_sum_same "$3" "$marks" && kx_sum_note "$1" "$2" "$marks"
}
