# shellcheck shell=dash
# Files: written beside their place and renamed into it.

# PATH MODE OWNER SHA256 ESCAPED: writes a file atomically. ESCAPED as printf %b takes it; a builtin, so that no argv
# shows it. With a digest the file gets its name only if it is right.
kx_write() {
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
  ) && kx_is "$4" && kx_settle "$2" "$3"
  kx_code=$?
  [ "$kx_code" = 0 ] || rm -f "$kx_tmp"
  kx_scratch_end
  return "$kx_code"
}

# SHA256: whether the file kx_tmp has it; true without one.
kx_is() {
  [ -n "$1" ] || return 0
  kx_got=$(kx_sha256 "$kx_tmp") || return
  [ "$kx_got" = "$1" ] || {
    echo "sha256 $kx_got" >&2
    return 65
  }
}

# MODE OWNER: gives the file kx_tmp its owner, mode and name, in this order: chown clears special bits.
kx_settle() {
  { [ -z "$2" ] || chown -- "$2" "$kx_tmp"; } && chmod -- "$1" "$kx_tmp" && kx_rename "$kx_tmp" "$kx_to"
}

# FROM TO: busybox does not rename over a link that leads to a directory; the link goes first then.
kx_rename() {
  mv -fT -- "$1" "$2" 2>/dev/null && return
  [ ! -L "$2" ] || rm -f -- "$2" || return
  mv -fT -- "$1" "$2"
}

# PATH: its size in bytes.
kx_size() {
  kx_count=$(wc -c <"$1") || return
  echo $((kx_count))
}

# PATH SHA256 MODE OWNER: what is there before a transfer: "same", or size and digest of a partial file.
kx_put_look() {
  if [ -d "$1" ] && [ ! -L "$1" ]; then
    echo "$1 is a directory" >&2
    return 1
  fi
  kx_part "$1" "$2" || return
  # By descriptor: what has this name may be something else by the time of the next command.
  if [ -f "$kx_to" ] && [ ! -L "$kx_to" ] && { command exec 6<"$kx_to"; } 2>/dev/null; then
    kx_x=$(stat -c %d:%i -- "$kx_to" 2>/dev/null)
    if [ "$kx_x" = "$(stat -L -c %d:%i -- /proc/self/fd/6)" ] && [ "$(kx_sha256 /proc/self/fd/6)" = "$2" ]; then
      # Only where it differs: what is not touched stays known.
      [ -z "$4" ] || [ "$(stat -L -c %U:%G -- /proc/self/fd/6)" = "$4" ] || chown -- "$4" /proc/self/fd/6 || return
      [ "0$(stat -L -c %a -- /proc/self/fd/6)" = "$3" ] || chmod -- "$3" /proc/self/fd/6 || return
      kx_scratch_end
      echo same
      return
    fi
  fi
  if [ -f "$kx_tmp" ] && [ ! -L "$kx_tmp" ] && [ -O "$kx_tmp" ]; then
    kx_marks=$(kx_marks "$kx_tmp") && echo "${kx_marks%% *} $(kx_sha256 "$kx_tmp")"
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
  kx_part "$1" "$2" && kx_was=$(kx_marks "$kx_tmp") || return
  [ "${kx_was%% *}" = "$3" ] || return 66
  kx_is "$2" && printf 'marks %s\n' "$kx_was" && return
  kx_code=$?
  [ "$kx_code" != 65 ] || rm -f "$kx_tmp"
  return "$kx_code"
}

# PATH SHA256 MODE OWNER MARKS: a partial file that was found to be what was meant gets its name. 67: it is not that file.
kx_put_name() {
  kx_part "$1" "$2" || return
  [ -f "$kx_tmp" ] && [ "$(kx_marks "$kx_tmp")" = "$5" ] || {
    [ -e "$kx_tmp" ] || kx_scratch_end
    return 67
  }
  kx_settle "$3" "$4" || return
  kx_put_note "$2" "$5"
  kx_scratch_end
}

# SHA256 MARKS: the file that was given its name just now is the one that had these marks: what it has is known. Until a
# moment ago only we could write it.
kx_put_note() {
  kx_marks=$(kx_marks "$kx_to") && kx_sum_same "$2" "$kx_marks" && kx_sum_note "$kx_to" "$1"
}
