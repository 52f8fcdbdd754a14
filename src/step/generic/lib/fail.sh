# shellcheck shell=dash

# TEXT…: ends the script with a message that the run shows, and takes the unfinished file kxg_t away.
kxg_fail() {
  [ -z "${kxg_t:-}" ] || rm -rf -- "$kxg_t"
  printf '%s\n' "$*" >&2
  exit 1
}
