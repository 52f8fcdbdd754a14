# shellcheck shell=dash
# Digests of big files, in `$KX_RUN/sums`, so that nobody reads half a gigabyte twice to learn the same: a note `DEV-INODE`
# has the boot and the marks of the file when it was digested, and its sha256. It is believed only in that boot, and only
# while every mark is the same: no write leaves the time of change as it is, and nobody can set that time. A file that
# others than us can write, or that lies where times may be coarse or unknown, gets no note and is read every time.

# PATH: its sha256 in hex, nothing when there is no such file. openssl uses the CPU's own instructions and is four times
# as fast, but takes longer to start.
kx_sha256() {
  local marks='' sum=''
  [ -f "$1" ] || return 0
  marks=$(kx_marks "$1")
  if [ "${marks%% *}" -gt 4000000 ] 2>/dev/null; then
    if kx_sum_known "$marks"; then
      echo "$kx_sum"
      return
    fi
    if command -v openssl >/dev/null; then
      sum=$(openssl dgst -sha256 -r <"$1") || return
      kx_sum_seen "$1" "${sum%% *}" "$marks"
      echo "${sum%% *}"
      return
    fi
  fi
  if command -v sha256sum >/dev/null; then
    sum=$(sha256sum <"$1")
  elif command -v shasum >/dev/null; then
    sum=$(shasum -a 256 <"$1")
  else
    sum=$(openssl dgst -sha256 -r <"$1")
  fi || return
  kx_sum_seen "$1" "${sum%% *}" "$marks"
  echo "${sum%% *}"
}

# PATH: size, device and inode, owner, mode, and when it was changed: content, then anything.
kx_marks() { stat -L -c '%s %d-%i %u %a %Z %y %z' -- "$1" 2>/dev/null; }

# MARKS: the digest of the file that has them, in kx_sum, if it is known.
kx_sum_known() {
  local note="${1#* }" line=''
  note=$KX_RUN/sums/${note%% *}
  [ -s "$note" ] || return
  kx_boot
  { IFS= read -r line && IFS= read -r kx_sum; } <"$note" && [ "$line" = "$kx_boot $1" ] && [ ${#kx_sum} = 64 ]
}

# PATH SHA256 MARKS: it had the digest while its marks were these, if they still are. A file that was changed just now is not
# noted: a write within the same tick of the clock, or through a map whose pages are not on disk yet, would show nowhere.
kx_sum_seen() {
  local path="$1" sum="$2" marks="$3"
  # shellcheck disable=SC2086 # several words
  set -- $marks
  [ "${1:-0}" -gt 4000000 ] && [ $(($(date +%s) - $5)) -ge 60 ] && [ "$marks" = "$(kx_marks "$path")" ] || return 0
  kx_sum_note "$path" "$sum" "$marks"
}

# PATH SHA256 MARKS: notes the digest of the file, which has the marks now. That it cannot be noted is no failure.
kx_sum_note() {
  local path="$1" sum="$2" marks="$3" note=''
  # shellcheck disable=SC2086 # several words
  set -- $marks
  [ "${1:-0}" -gt 4000000 ] && [ "$3" = "$KX_UID" ] || return 0
  case $4 in *[2367] | *[2367]?) return 0 ;; esac
  # The time of change, in parts of a second.
  case ${10} in *.*[1-9]*) ;; *) return 0 ;; esac
  case $(stat -f -L -c %T -- "$path" 2>/dev/null) in ext2/ext3 | xfs | btrfs | zfs | f2fs | overlayfs) ;; *) return 0 ;; esac
  kx_boot
  note=$KX_RUN/sums/$2
  { mkdir -p "$KX_RUN/sums" && printf '%s\n%s\n' "$kx_boot $marks" "$sum" >"$note.$$" && mv -fT "$note.$$" "$note"; } 2>/dev/null
  return 0
}

# MARKS MARKS: whether they are of the same file with the same content: all but owner, mode and the time of any change.
kx_sum_same() {
  # shellcheck disable=SC2086 # several words
  set -- $1 $2
  [ "$1 $2 $6 $7 $8" = "${12} ${13} ${17} ${18} ${19}" ]
}

# Removes the notes. They are for the cluster that owns this machine, and for runs that work on it.
kx_sum_tidy() {
  local shell=''
  [ -d "$KX_RUN/sums" ] && [ ! -d "$KX_STATE/manifest" ] || return 0
  for shell in "$KX_RUN"/sh.*; do [ ! -e "$shell" ] || return 0; done
  rm -rf "$KX_RUN/sums"
}
