# shellcheck shell=dash
# Changing a unit of systemd. When something fails, the script ends with a message, the last lines of the unit's journal before it.

# TEXT: ends the script.
kxs_fail() {
  printf '%s\n' "$1" >&2
  exit 1
}

# UNIT: what it said last.
kxs_journal() { journalctl -u "$1" -n 10 --no-pager -q -o cat 2>/dev/null >&2; }

# UNIT WHAT: it did not stay up. What it said last, then why we give up: the last line is the reason that people see.
kxs_died() {
  kxs_journal "$1"
  kxs_fail "$1 $2: $kxs_active ($kxs_sub), result $kxs_result, status $kxs_status"
}

# UNIT COMMAND…: systemctl.
kxs_do() {
  local unit="$1" said=''
  shift
  said=$(systemctl --no-ask-password "$@" -- "$unit" 2>&1) && return
  kxs_look "$unit"
  kxs_journal "$unit"
  kxs_fail "systemctl $* $unit: $(printf '%s\n' "$said" | head -n 1) ($kxs_active, $kxs_sub, result $kxs_result)"
}

# UNIT: looks at it; what systemd has read of unit files that have changed since is read again. Only then: to read all takes a while.
# Fails without systemd.
kxs_look_again() {
  kxs_look "$1" || return
  if [ "$kxs_stale" = yes ] || [ "$kxs_load" = not-found ] || [ "$kxs_load" = bad-setting ]; then
    systemctl daemon-reload || kxs_fail 'systemctl daemon-reload failed'
    kxs_look "$1"
  fi
}

# UNIT: lets it be started, if it is masked.
kxs_unmask() {
  case $kxs_file in
    masked*)
      kxs_do "$1" unmask
      kxs_look "$1"
      ;;
  esac
}

# UNIT AGAIN: starts it. One that runs with something else than what is wanted (kxs_fresh) is started again, or reads its files
# again, where AGAIN is reload and it can.
kxs_start() {
  case $kxs_active in
    active | reloading | refreshing)
      [ "$kxs_fresh" != yes ] || return 0
      if [ "$2" = reload ] && [ "$kxs_can" = yes ]; then kxs_do "$1" reload; else kxs_do "$1" restart; fi
      ;;
    activating)
      # It may be trying again and again with what it was started with.
      if [ "$kxs_fresh" = yes ] && [ "$kxs_sub" != auto-restart ]; then kxs_do "$1" start; else kxs_do "$1" restart; fi
      ;;
    *)
      [ "$kxs_active" != failed ] || systemctl reset-failed -- "$1"
      kxs_do "$1" start
      ;;
  esac
}

# UNIT SECONDS [WHERE]: it must stay up for that long, as the process it is now. One that comes and goes is no service. WHERE unsure:
# only if systemd calls it up as soon as it is forked, and not when it says so itself.
kxs_settle() {
  local was='' long='' end=''
  long=$(($2 * 100))
  kxs_look "$1"
  was=$kxs_pid/$kxs_restarts
  case $3/$kxs_type in unsure/notify* | unsure/dbus) long=0 ;; esac
  kx_uptime
  end=$((kx_ticks + long))
  while :; do
    case $kxs_active in
      active | reloading | refreshing) [ "$kxs_pid/$kxs_restarts" = "$was" ] || kxs_died "$1" 'started, died and was started again' ;;
      activating | deactivating)
        [ "$kxs_sub" != auto-restart ] || kxs_died "$1" 'started and died'
        was=$kxs_pid/$kxs_restarts end=$((kx_ticks + long))
        ;;
      inactive)
        [ "$kxs_type/$kxs_result" != oneshot/success ] || return 0
        kxs_died "$1" 'started and ended'
        ;;
      *) kxs_died "$1" 'started and died' ;;
    esac
    kx_uptime
    case $kxs_active in active | reloading | refreshing) [ "$kx_ticks" -lt "$end" ] || return 0 ;; esac
    sleep 0.2 2>/dev/null || sleep 1
    kxs_look "$1"
  done
}

# UNIT FINGERPRINT: notes what the running process was started with.
kxs_note() {
  [ -n "$2" ] || return 0
  kxs_look "$1"
  kxs_put "$1" "$2 $kxs_id"
}

# UNIT [TEXT]: the note about it is TEXT; without, there is none.
kxs_put() {
  local file="$KX_STATE/services/$1"
  if [ -n "$2" ]; then
    mkdir -p "$KX_STATE/services" && printf '%s\n' "$2" >"$file.new" && mv -f "$file.new" "$file" || kxs_fail "cannot write $file"
  else
    rm -f "$file"
    rmdir "$KX_STATE/services" 2>/dev/null || :
  fi
}

# UNIT: says that there is no such unit any more.
kxs_gone() { kx_report left "$1 stays as it is: there is no such unit any more"; }

# UNIT FILE ACTIVE [NOTE]: the unit is as it was. FILE: as `systemctl is-enabled` said it; ACTIVE: not empty if it ran. A restart
# belongs after its files were restored, so nothing is restarted here.
kxs_restore() {
  local unit="$1" file="$2" active="$3" note="$4" how='' runtime=''
  case $file in
    enabled | enabled-runtime) how=enabled ;;
    masked*) how=masked ;;
  esac
  case $file in *-runtime) runtime=--runtime ;; esac
  kxs_look_again "$unit" || return 0
  [ "$how" = masked ] || kxs_unmask "$unit"
  # Somebody has taken it away since: there is nothing to start or to enable, only links to it to take away.
  if [ "$kxs_load" = not-found ]; then
    [ -n "$how" ] || systemctl disable --quiet -- "$unit" 2>/dev/null
    if [ -n "$active" ] || [ "$how" = enabled ]; then
      kxs_put "$unit"
      kxs_gone "$unit"
      return
    fi
  fi
  case $active/$kxs_active in
    ?*/active | ?*/reloading | ?*/refreshing | ?*/activating | /inactive | /failed) ;;
    /*) kxs_do "$unit" stop ;;
    *) kxs_do "$unit" start ;;
  esac
  # What was neither enabled nor masked had no links of its own.
  # shellcheck disable=SC2086 # no word, where it is empty
  case $how/$kxs_file in
    ?*/"$file") ;;
    enabled/*) kxs_do "$unit" enable --quiet $runtime ;;
    masked/*) kxs_do "$unit" mask --quiet $runtime ;;
    /enabled*) kxs_do "$unit" disable --quiet ;;
  esac
  [ -n "$active" ] || systemctl reset-failed -- "$unit" 2>/dev/null
  kxs_put "$unit" "$note"
}

# UNIT RAN: restarts a unit that ran, with its current files, and removes the note.
kxs_restart_noted() {
  if [ -n "$2" ] && kxs_look_again "$1"; then
    if [ "$kxs_load" = not-found ]; then kxs_gone "$1"; else kxs_do "$1" restart; fi
  fi
  rm -f "$KX_STATE/services/$1.before"
  rmdir "$KX_STATE/services" 2>/dev/null || :
}
