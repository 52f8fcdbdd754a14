import { posix } from './text.ts';

/** Files: written beside their place and renamed into it. */
export const file = posix`
# PATH: a name beside it, in kx_tmp, hidden and ours alone.
kx_beside() {
  case $1 in */*) kx_tmp=\${1%/*}/.\${1##*/} ;; *) kx_tmp=.$1 ;; esac
  kx_tmp=$kx_tmp.kx$$
}

# PATH MODE OWNER SHA256 ESCAPED: writes a file atomically. ESCAPED as printf %b takes it; a builtin, so that no argv
# shows it. With a digest the file gets its name only if it is right.
kx_write() {
  kx_beside "$1"
  if [ -d "$1" ] && [ ! -L "$1" ]; then
    echo "$1 is a directory" >&2
    return 1
  fi
  rm -f -- "$kx_tmp"
  # Made anew or not at all: a link that somebody prepared under this name is never followed.
  (set -C; printf '%b' "$5" >"$kx_tmp") && kx_is "$4" && kx_settle "$1" "$2" "$3" && return
  kx_code=$?
  rm -f "$kx_tmp"
  return "$kx_code"
}

# SHA256: whether the file kx_tmp has it; true without one.
kx_is() {
  [ -n "$1" ] || return 0
  kx_got=$(kx_sha256 "$kx_tmp") || return
  [ "$kx_got" = "$1" ] || { echo "sha256 $kx_got" >&2; return 65; }
}

# PATH MODE OWNER: gives the file kx_tmp its owner, mode and name, in this order: chown clears special bits.
kx_settle() {
  { [ -z "$3" ] || chown -- "$3" "$kx_tmp"; } && chmod -- "$2" "$kx_tmp" && kx_rename "$kx_tmp" "$1"
}

# FROM TO: busybox does not rename over a link that leads to a directory; the link goes first then.
kx_rename() {
  mv -fT -- "$1" "$2" 2>/dev/null && return
  [ ! -L "$2" ] || rm -f -- "$2" || return
  mv -fT -- "$1" "$2"
}

# PATH: its sha256 in hex, nothing when there is no such file. openssl uses the CPU's own instructions and is four times
# as fast, but takes longer to start.
kx_sha256() {
  [ -f "$1" ] || return 0
  if command -v openssl >/dev/null && [ "$(head -c 4000001 "$1" | wc -c)" -gt 4000000 ]; then
    kx_sum=$(openssl dgst -sha256 -r <"$1")
  elif command -v sha256sum >/dev/null; then
    kx_sum=$(sha256sum <"$1")
  elif command -v shasum >/dev/null; then
    kx_sum=$(shasum -a 256 <"$1")
  else
    kx_sum=$(openssl dgst -sha256 -r <"$1")
  fi || return
  echo "\${kx_sum%% *}"
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
  if [ -f "$1" ] && [ ! -L "$1" ] && [ "$(kx_sha256 "$1")" = "$2" ]; then
    { [ -z "$4" ] || chown -- "$4" "$1"; } && chmod -- "$3" "$1" || return
    echo same
    return
  fi
  kx_part "$1" "$2"
  [ -f "$kx_tmp" ] && [ ! -L "$kx_tmp" ] && [ -O "$kx_tmp" ] || { rm -f "$kx_tmp"; echo 0 -; return; }
  echo "$(kx_size "$kx_tmp") $(kx_sha256 "$kx_tmp")"
}

# PATH SHA256: the partial file's name, in kx_tmp. It tells its content, so that a stale one is never continued.
kx_part() {
  case $1 in */*) kx_tmp=\${1%/*}/.\${1##*/} ;; *) kx_tmp=.$1 ;; esac
  kx_tmp=$kx_tmp.\${2%"\${2#????????????????}"}.part
}

# PATH SHA256 MODE OWNER: a partial file that is known to be what was meant gets its name.
kx_put_name() {
  kx_part "$1" "$2"
  kx_settle "$1" "$3" "$4"
}

# PATH SHA256 MODE OWNER: a complete partial file gets its name, if it is what was meant.
kx_put_done() {
  kx_part "$1" "$2"
  kx_is "$2" && kx_settle "$1" "$3" "$4" && return
  kx_code=$?
  [ "$kx_code" != 65 ] || rm -f "$kx_tmp"
  return "$kx_code"
}
`;
