# shellcheck shell=dash
# Waits. Needs kxg_try PATIENCE, which looks once: a command that can wait by itself may do so for that many seconds. It sets kxg_why
# when it fails, and returns 90 when the host has no tool to look with.

# Prints the kernel's uptime in seconds: a wait must survive a clock that is being set.
kxg_now() {
  local now='' idle=''
  # shellcheck disable=SC2034 # the second number is not wanted
  if read -r now idle </proc/uptime; then echo "${now%%.*}"; else date +%s; fi
} 2>/dev/null

# WHAT SECONDS INTERVAL: looks again and again until it is so, or says why it is not.
kxg_poll() {
  local end='' code=''
  end=$(($(kxg_now) + $2))
  while :; do
    kxg_try 5
    code=$?
    [ "$code" -ne 0 ] || return 0
    if [ "$code" -eq 90 ]; then
      printf '%s\n' "$kxg_why" >&2
      return 90
    fi
    [ "$(kxg_now)" -lt "$end" ] || break
    sleep "$3"
  done
  printf '%s is still not so after %s s: %s\n' "$1" "$2" "$kxg_why" >&2
  return 1
}
