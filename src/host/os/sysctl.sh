# shellcheck shell=dash

# PATTERN: the lines of all files of settings that match it. Of files of one name in several directories only the first
# counts, as systemd-sysctl and `sysctl --system` have it.
kxo_settings() {
  local pattern="$1" seen=/ dir='' file='' line=''
  set --
  for dir in /etc/sysctl.d /run/sysctl.d /usr/local/lib/sysctl.d /usr/lib/sysctl.d /lib/sysctl.d; do
    for file in "$dir"/*.conf; do
      [ -e "$file" ] || [ -L "$file" ] || continue
      case $seen in */"${file##*/}"/*) continue ;; esac
      seen=$seen${file##*/}/
      [ ! -f "$file" ] || set -- "$@" "$file"
    done
  done
  [ ! -f /etc/sysctl.conf ] || set -- "$@" /etc/sysctl.conf
  [ $# -eq 0 ] || grep -HE "$pattern" -- "$@" | while IFS= read -r line; do printf 'line %s\n' "$line"; done
}
