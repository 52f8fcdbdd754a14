# shellcheck shell=dash

# NAME: names the machine from now on. In a container /proc/sys may be read-only where the call is allowed.
kxo_name() {
  local why=''
  if command -v hostname >/dev/null; then
    why=$(hostname "$1" 2>&1) && return
  else
    { printf '%s\n' "$1" >/proc/sys/kernel/hostname; } 2>/dev/null && return
  fi
  ! command -v hostnamectl >/dev/null || ! hostnamectl --transient set-hostname "$1" 2>/dev/null || return 0
  printf 'the machine cannot be named %s: %s\n' "$1" "${why:-/proc/sys is read-only}" >&2
  exit 1
}
