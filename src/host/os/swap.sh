# shellcheck shell=dash
# Swap space: what is on, and what turns it on at the next start.

# UNIT: "enabled UNIT" if something wants it.
kxo_if_wanted() {
  local link=''
  for link in /etc/systemd/system/*.wants/"$1" /etc/systemd/system/*.requires/"$1"; do
    [ -L "$link" ] || continue
    printf 'enabled %s\n' "$1"
    return
  done
}

# Units that bring swap back. Those made from fstab go with its lines. Of the rest, a unit that is generated at every boot, or
# comes with a package, is "generated"; one that the administrator has written counts when something wants it, as do services that
# make swap space: these are "enabled".
kxo_swap_units() {
  local file='' unit=''
  for file in /run/systemd/generator/*.swap /run/systemd/generator.late/*.swap /usr/lib/systemd/system/*.swap /lib/systemd/system/*.swap; do
    [ -f "$file" ] && [ ! -L "$file" ] || continue
    unit=${file##*/}
    [ ! -L "/etc/systemd/system/$unit" ] && [ ! -e "/etc/systemd/system/$unit" ] || continue
    grep -qx 'SourcePath=/etc/fstab' "$file" || printf 'generated %s\n' "$unit"
  done
  for file in /etc/systemd/system/*.swap; do
    [ -f "$file" ] && [ ! -L "$file" ] || continue
    kxo_if_wanted "${file##*/}"
  done
  for unit in zramswap.service zram-config.service zram-swap.service dphys-swapfile.service systemd-swap.service; do
    kxo_if_wanted "$unit"
  done
}

# PATTERN: what `seenSwap` reads. PATTERN: of the lines of fstab that are about swap.
kxo_swap_look() {
  local name='' type='' size='' used='' priority='' line=''
  {
    read -r name
    while read -r name type size used priority; do printf 'on %s %s %s\n' "$name" "$type" "$priority"; done
  } </proc/swaps 2>/dev/null
  [ ! -f /etc/fstab ] || grep -e "$1" /etc/fstab | while IFS= read -r line; do printf 'fstab %s\n' "$line"; done
  [ ! -d /run/systemd/system ] || kxo_swap_units
}

# Keeps units from turning swap on at the next start. systemd reads fstab and units again.
kxo_swap_stop_units() {
  local units='' how='' unit=''
  [ -d /run/systemd/system ] || return 0
  units=$(kxo_swap_units) || exit 1
  while read -r how unit; do
    case $how in
      generated) ln -s /dev/null "/etc/systemd/system/$unit" || kxg_fail "cannot mask $unit" ;;
      enabled) systemctl disable --quiet -- "$unit" || kxg_fail "cannot disable $unit" ;;
    esac
  done <<KXO_END
$units
KXO_END
  systemctl daemon-reload || kxg_fail "systemd does not read its units again"
}

# UNIT: lets a unit be started again that was masked.
kxo_swap_unmask() {
  local link="/etc/systemd/system/$1"
  [ ! -L "$link" ] || [ "$(readlink -- "$link")" != /dev/null ] || rm -f -- "$link"
}

# Turns off all swap that is on. The list is read first: it gets shorter under a reader. Blanks in names are octal numbers.
kxo_swap_off() {
  local swaps='' name='' type='' rest='' why=''
  swaps=$(cat /proc/swaps)
  while read -r name type rest; do
    case $type in partition | file) ;; *) continue ;; esac
    case $name in
      *\\*)
        name=$(printf '%b.' "$(printf '%s' "$name" | sed 's/\\\([0-3]\)/\\0\1/g')")
        name=${name%.}
        ;;
    esac
    why=$(swapoff "$name" 2>&1) || kxg_fail "swap on $name cannot be turned off: ${why:-is there enough free memory?}"
  done <<KXO_END
$swaps
KXO_END
}

# NAME PRIORITY ESCAPED: turns swap on again that was on; what is gone by now is reported on stderr. A priority below zero is the
# kernel's own. ESCAPED: the name as the kernel lists it.
kxo_swap_on() {
  local name='' rest=''
  while read -r name rest; do [ "$name" != "$3" ] || return 0; done </proc/swaps
  if [ ! -e "$1" ]; then
    kx_report left "swap $1 is gone: it stays off"
  elif [ "$2" -ge 0 ]; then
    swapon -p "$2" "$1"
  else
    swapon "$1"
  fi
}
