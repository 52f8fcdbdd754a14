# shellcheck shell=dash
# firewalld and ufw. How firewalld is asked is in kxo_now when it runs, and in kxo_kept for what it starts with, which the offline
# tool knows when it does not run; each is empty where there is nobody to ask. Functions take them as TOOL: a command of several words.

# Sets kxo_now and kxo_kept, and what systemd says about firewalld: kxo_load, kxo_active and kxo_unit.
kxo_firewalld() {
  local key='' value=''
  kxo_load='' kxo_active='' kxo_unit='' kxo_now='' kxo_kept=''
  if [ -d /run/systemd/system ]; then
    while IFS='=' read -r key value; do
      case $key in
        LoadState) kxo_load=$value ;;
        ActiveState) kxo_active=$value ;;
        UnitFileState) kxo_unit=$value ;;
      esac
    done <<KXO_END
$(systemctl show -p LoadState -p ActiveState -p UnitFileState firewalld.service 2>/dev/null)
KXO_END
  fi
  if [ "$kxo_active" = active ]; then
    kxo_now=firewall-cmd kxo_kept='firewall-cmd --permanent'
  elif [ "$kxo_load:$kxo_unit" = loaded:enabled ]; then
    kxo_kept=firewall-offline-cmd
  fi
}

# Whether ufw is enabled.
kxo_ufw() {
  local key='' value=''
  [ -f /etc/ufw/ufw.conf ] || return 1
  while IFS='=' read -r key value; do
    case $key:$value in ENABLED:yes | ENABLED:YES | ENABLED:Yes) return 0 ;; esac
  done </etc/ufw/ufw.conf
  return 1
}

# TEXT: before each line of stdin, with a bar.
kxo_prefix() {
  local line=''
  while IFS= read -r line; do printf '%s|%s\n' "$1" "$line"; done
}

# TOOL [ZONE]: the zone, or the default one.
kxo_zone() {
  # shellcheck disable=SC2086 # several words
  if [ -n "$2" ]; then printf '%s\n' "$2"; else $1 --get-default-zone; fi
}

# NOW KEPT ZONE…: what the zones let in, and their files. NOW, KEPT: tools.
kxo_zones() {
  local now="$1" kept="$2" zone='' old=''
  shift 2
  for zone; do
    # shellcheck disable=SC2086 # several words
    [ -z "$now" ] || $now --zone="$zone" --list-all | kxo_prefix "runtime $zone"
    # shellcheck disable=SC2086 # several words
    $kept --zone="$zone" --list-all | kxo_prefix "permanent $zone"
    old=0
    [ ! -e "/etc/firewalld/zones/$zone.xml.old" ] || old=1
    printf 'zone %s %s\n' "$zone" "$old"
    kxo_text "zone-$zone" "/etc/firewalld/zones/$zone.xml"
  done
}

# What `seenFirewall` reads: which firewalls there are.
kxo_firewalls() {
  kxo_firewalld
  printf 'firewalld %s %s %s\n' "${kxo_load:--}" "${kxo_active:--}" "${kxo_unit:--}"
  ! kxo_ufw || echo 'ufw-enabled'
}

# ZONE [MORE…]: the same, and what they let in. An empty ZONE is the default one.
kxo_firewalls_let_in() {
  local zone="$1"
  shift
  kxo_firewalls
  if [ -n "$kxo_kept" ]; then
    zone=$(kxo_zone "${kxo_now:-$kxo_kept}" "$zone")
    printf 'use %s\n' "$zone"
    kxo_zones "$kxo_now" "$kxo_kept" "$zone" "$@"
  fi
  ! kxo_ufw || ufw show added | kxo_prefix ufw
}

# Stops the firewalls that run, and keeps them from being started.
kxo_stop_firewalls() {
  kxo_firewalld
  if [ "$kxo_load" = loaded ] && { [ "$kxo_active" = active ] || [ "$kxo_unit" = enabled ]; }; then
    systemctl disable --quiet --now firewalld.service || {
      echo 'firewalld cannot be stopped' >&2
      exit 1
    }
  fi
  if kxo_ufw; then
    ufw --force disable >/dev/null || {
      echo 'ufw cannot be disabled' >&2
      exit 1
    }
  fi
}

# TOOL ZONE OPTION…: changes a zone, or ends the script. It takes options of one kind at a time.
kxo_change_zone() {
  local tool="$1" zone="$2" why=''
  shift 2
  [ -n "$tool" ] || return 0
  # shellcheck disable=SC2086 # several words
  why=$($tool --zone="$zone" "$@" 2>&1) || {
    printf 'firewalld does not change its rules: %s\n' "$why" >&2
    exit 1
  }
}

# KEPT ZONE TEXT OLD [MODE OWNER CONTENT]: where a zone says again what it said before (TEXT), its file gets its old bytes
# (CONTENT, in base64), or goes. OLD: there was a backup of it too.
kxo_tidy_zone() {
  local file="/etc/firewalld/zones/$2.xml"
  [ -n "$1" ] && [ -e "$file" ] || return 0
  # shellcheck disable=SC2086 # several words
  [ "$($1 --zone="$2" --list-all | grep '^[[:space:]]')" = "$3" ] || return 0
  if [ "$#" -gt 4 ]; then
    printf %s "$7" | base64 -d >"$file.kubexm" && chown -- "$6" "$file.kubexm" && chmod "$5" "$file.kubexm" &&
      mv -f -- "$file.kubexm" "$file" || exit 1
  else
    # shellcheck disable=SC2086 # several words
    $1 --load-zone-defaults="$2" >/dev/null || exit 1
  fi
  [ -n "$4" ] || rm -f -- "$file.old"
}

# WORD…: adds a rule to ufw, in its own words, if it is enabled.
kxo_ufw_add() {
  local why=''
  kxo_ufw || return 0
  why=$(ufw "$@" 2>&1) || {
    printf 'ufw does not take a rule: %s\n' "$why" >&2
    exit 1
  }
}
