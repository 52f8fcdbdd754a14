import { compact, posix } from '../lib/text.ts';

/** What systemd is asked about a unit. Old ones do not know all of it, and say nothing then. */
const PROPERTIES = [
  'LoadState',
  'ActiveState',
  'SubState',
  'Type',
  'Result',
  'ExecMainStatus',
  'UnitFileState',
  'FragmentPath',
  'DropInPaths',
  'NeedDaemonReload',
  'CanReload',
  'InvocationID',
  'MainPID',
  'NRestarts',
  'ActiveEnterTimestampMonotonic',
];

/**
 * kxs_look: what systemd says of the unit kxs_unit, in kxs_* and as `key=value` lines in kxs_said. Fails without systemd.
 * kxs_freshness: whether the running process was started with what is wanted, in kxs_fresh: yes or no.
 */
export const serviceFunctions = compact(
  `kxs_properties=${PROPERTIES.join(',')}\n${posix`
kxs_look() {
  kxs_load= kxs_active= kxs_sub= kxs_type= kxs_result= kxs_status= kxs_file= kxs_paths= kxs_drops= kxs_stale= kxs_can=
  kxs_id= kxs_pid=0 kxs_restarts=0 kxs_since=0
  [ -d /run/systemd/system ] && command -v systemctl >/dev/null || return 1
  kxs_said=$(systemctl show --no-pager -p "$kxs_properties" -- "$kxs_unit") || return 1
  while IFS== read -r kxs_k kxs_v; do
    case $kxs_k in
      LoadState) kxs_load=$kxs_v ;;
      ActiveState) kxs_active=$kxs_v ;;
      SubState) kxs_sub=$kxs_v ;;
      Type) kxs_type=$kxs_v ;;
      Result) kxs_result=$kxs_v ;;
      ExecMainStatus) kxs_status=$kxs_v ;;
      UnitFileState) kxs_file=$kxs_v ;;
      FragmentPath) kxs_paths=$kxs_v ;;
      DropInPaths) kxs_drops=$kxs_v ;;
      NeedDaemonReload) kxs_stale=$kxs_v ;;
      CanReload) kxs_can=$kxs_v ;;
      InvocationID) kxs_id=$kxs_v ;;
      MainPID) kxs_pid=$kxs_v ;;
      NRestarts) kxs_restarts=$kxs_v ;;
      ActiveEnterTimestampMonotonic) kxs_since=$kxs_v ;;
    esac
  done <<KXS_SAID
$kxs_said
KXS_SAID
  [ -n "$kxs_id" ] || kxs_id=at-$kxs_since
}

# Reads the record: the fingerprint, and the start it was made for.
kxs_recall() {
  kxs_had= kxs_for=
  kxs_record=$KX_STATE/services/$kxs_unit
  { read -r kxs_had kxs_for <"$kxs_record"; } 2>/dev/null
  return 0
}

# Who started the process with the fingerprint in the record is asked the fingerprint only. A process that somebody else
# started, a boot or a person, has read what was there then: nothing of it may have changed since.
kxs_freshness() {
  kxs_recall
  kxs_fresh=yes
  case $kxs_active in active | reloading | activating | refreshing) ;; *) return 0 ;; esac
  if [ -n "$kxs_want" ] && [ "$kxs_for" = "$kxs_id" ]; then
    [ "$kxs_had" = "$kxs_want" ] || kxs_fresh=no
  elif [ "$#" -gt 0 ]; then
    kxs_unchanged "$@" $kxs_paths $kxs_drops || kxs_fresh=no
  else
    [ "$kxs_had" = "$kxs_want" ] || kxs_fresh=no
  fi
}

# The time of the boot in hundredths of a second, in kxs_boot. The kernel tells it in seconds only: who writes a file and starts
# the process that reads it is quicker than that. Both clocks are read until nothing came between them. Where the uptime is not
# that of the kernel, as in some containers, the seconds are all there is.
kxs_booted() {
  kxs_whole=$(sed -n 's/^btime //p' /proc/stat) && [ -n "$kxs_whole" ] || return
  for kxs_try in 1 2 3 4 5 6 7 8 9; do
    kx_uptime
    kxs_boot=$(date +%s%N) || return
    kxs_boot=$((\${kxs_boot%???????} - kx_ticks)) kxs_up=$kx_ticks
    kx_uptime
    if [ $((kx_ticks - kxs_up)) -le 2 ] && [ $((kxs_boot - kxs_whole * 100)) -le 300 ] &&
      [ $((kxs_whole * 100 - kxs_boot)) -le 300 ]; then return; fi
  done
  kxs_boot=$((kxs_whole * 100 + 99))
}

# PATH…: whether none of them changed after the process was started. All three times are cut to hundredths: what was changed in the
# few around the start counts as read.
kxs_unchanged() {
  kxs_booted || return
  if [ "$kxs_pid" -gt 0 ] && kx_proc "$kxs_pid"; then kxs_then=$kx_born; else kxs_then=$((kxs_since / 10000)); fi
  kxs_then=$((kxs_boot + kxs_then + 5))
  for kxs_time in $(stat -L -c %.2Z -- "$@" 2>/dev/null); do
    [ "\${kxs_time%.*}\${kxs_time#*.}" -le "$kxs_then" ] || return 1
  done
}
`}`,
);

/** What changes a unit: each ends the script with a message, the last lines of the unit's journal before it, when it fails. */
export const serviceChanges = compact(posix`
kxs_fail() {
  printf '%s\n' "$*" >&2
  exit 1
}

# What it said last, then why we give up: the last line is the reason that people see.
kxs_died() {
  journalctl -u "$kxs_unit" -n 10 --no-pager -q -o cat 2>/dev/null >&2
  kxs_fail "$kxs_unit $1: $kxs_active ($kxs_sub), result $kxs_result, status $kxs_status"
}

kxs_do() {
  kxs_out=$(systemctl --no-ask-password "$@" -- "$kxs_unit" 2>&1) && return
  kxs_look
  journalctl -u "$kxs_unit" -n 10 --no-pager -q -o cat 2>/dev/null >&2
  kxs_fail "systemctl $* $kxs_unit: $(printf '%s\n' "$kxs_out" | head -n 1) ($kxs_active, $kxs_sub, result $kxs_result)"
}

# What systemd has read of unit files that have changed since is read again. Only then: to read all takes a while.
kxs_reread() {
  if [ "$kxs_stale" = yes ] || [ "$kxs_load" = not-found ] || [ "$kxs_load" = bad-setting ]; then
    systemctl daemon-reload || kxs_fail 'systemctl daemon-reload failed'
    kxs_look
  fi
}

# SECONDS [WHERE]: it must stay up for that long, as the process it is now. One that comes and goes is no service. WHERE unsure:
# only if systemd calls it up as soon as it is forked, and not when it says so itself.
kxs_settle() {
  kxs_look
  kxs_was=$kxs_pid/$kxs_restarts
  kxs_long=$(($1 * 100))
  case $2/$kxs_type in unsure/notify* | unsure/dbus) kxs_long=0 ;; esac
  kx_uptime
  kxs_until=$((kx_ticks + kxs_long))
  while :; do
    case $kxs_active in
      active | reloading | refreshing) [ "$kxs_pid/$kxs_restarts" = "$kxs_was" ] || kxs_died 'started, died and was started again' ;;
      activating | deactivating)
        [ "$kxs_sub" != auto-restart ] || kxs_died 'started and died'
        kxs_was=$kxs_pid/$kxs_restarts kxs_until=$((kx_ticks + kxs_long))
        ;;
      inactive) [ "$kxs_type/$kxs_result" = oneshot/success ] && return || kxs_died 'started and ended' ;;
      *) kxs_died 'started and died' ;;
    esac
    kx_uptime
    case $kxs_active in active | reloading | refreshing) [ "$kx_ticks" -lt "$kxs_until" ] || return 0 ;; esac
    sleep 0.2 2>/dev/null || sleep 1
    kxs_look
  done
}

# FINGERPRINT: notes what the running process was started with.
kxs_note() {
  [ -n "$1" ] || return 0
  kxs_look
  kxs_put "$1 $kxs_id"
}

# TEXT: the record holds it; without, there is none.
kxs_put() {
  kxs_record=$KX_STATE/services/$kxs_unit
  if [ -n "$1" ]; then
    mkdir -p "$KX_STATE/services" && printf '%s\n' "$1" >"$kxs_record.new" && mv -f "$kxs_record.new" "$kxs_record" ||
      kxs_fail "cannot write $kxs_record"
  else
    rm -f "$kxs_record"
    rmdir "$KX_STATE/services" 2>/dev/null || :
  fi
}
`);
