# shellcheck shell=dash
# Looking at a unit of systemd. What a running process was started with is noted in $KX_STATE/services/UNIT: a fingerprint, and the start
# that it was made for.

# What systemd is asked about a unit. Old ones do not know all of it, and say nothing then.
kxs_properties=LoadState,ActiveState,SubState,Type,Result,ExecMainStatus,UnitFileState,FragmentPath,DropInPaths
kxs_properties=$kxs_properties,NeedDaemonReload,CanReload,InvocationID,MainPID,NRestarts,ActiveEnterTimestampMonotonic

# UNIT: what systemd says of it, as `key=value` lines in kxs_said, and in kxs_load, kxs_active and so on. Fails without systemd.
kxs_look() {
  local key='' value=''
  kxs_load='' kxs_active='' kxs_sub='' kxs_type='' kxs_result='' kxs_status='' kxs_file='' kxs_paths='' kxs_drops='' kxs_stale=''
  kxs_can='' kxs_id='' kxs_pid=0 kxs_restarts=0 kxs_since=0
  [ -d /run/systemd/system ] && command -v systemctl >/dev/null || return 1
  kxs_said=$(systemctl show --no-pager -p "$kxs_properties" -- "$1") || return 1
  while IFS='=' read -r key value; do
    case $key in
      LoadState) kxs_load=$value ;;
      ActiveState) kxs_active=$value ;;
      SubState) kxs_sub=$value ;;
      Type) kxs_type=$value ;;
      Result) kxs_result=$value ;;
      ExecMainStatus) kxs_status=$value ;;
      UnitFileState) kxs_file=$value ;;
      FragmentPath) kxs_paths=$value ;;
      DropInPaths) kxs_drops=$value ;;
      NeedDaemonReload) kxs_stale=$value ;;
      CanReload) kxs_can=$value ;;
      InvocationID) kxs_id=$value ;;
      MainPID) kxs_pid=$value ;;
      NRestarts) kxs_restarts=$value ;;
      ActiveEnterTimestampMonotonic) kxs_since=$value ;;
    esac
  done <<KXS_SAID
$kxs_said
KXS_SAID
  [ -n "$kxs_id" ] || kxs_id=at-$kxs_since
}

# UNIT: reads the note about it: the fingerprint, in kxs_had, and the start it was made for, in kxs_for.
kxs_recall() {
  kxs_had='' kxs_for=''
  { read -r kxs_had kxs_for <"$KX_STATE/services/$1"; } 2>/dev/null
  return 0
}

# UNIT FINGERPRINT PATH…: whether the process that kxs_look saw was started with what is wanted, in kxs_fresh: yes or no. Who started
# the process with the fingerprint in the note is asked the fingerprint only. A process that somebody else started, a boot or a
# person, has read what was there then: nothing of it may have changed since.
kxs_freshness() {
  local unit="$1" want="$2"
  shift 2
  kxs_recall "$unit"
  kxs_fresh=yes
  case $kxs_active in active | reloading | activating | refreshing) ;; *) return 0 ;; esac
  if [ -n "$want" ] && [ "$kxs_for" = "$kxs_id" ]; then
    [ "$kxs_had" = "$want" ] || kxs_fresh=no
  elif [ "$#" -gt 0 ]; then
    # shellcheck disable=SC2086 # several words
    kxs_unchanged "$@" $kxs_paths $kxs_drops || kxs_fresh=no
  else
    [ "$kxs_had" = "$want" ] || kxs_fresh=no
  fi
}

# The time of the boot in hundredths of a second, in kxs_boot. The kernel tells it in seconds only: who writes a file and starts
# the process that reads it is quicker than that. Both clocks are read until nothing came between them. Where the uptime is not
# that of the kernel, as in some containers, the seconds are all there is.
kxs_booted() {
  local whole='' try='' up=''
  whole=$(sed -n 's/^btime //p' /proc/stat) && [ -n "$whole" ] || return
  for try in 1 2 3 4 5 6 7 8 9; do
    kx_uptime
    kxs_boot=$(date +%s%N) || return
    kxs_boot=$((${kxs_boot%???????} - kx_ticks)) up=$kx_ticks
    kx_uptime
    if [ $((kx_ticks - up)) -le 2 ] && [ $((kxs_boot - whole * 100)) -le 300 ] && [ $((whole * 100 - kxs_boot)) -le 300 ]; then return; fi
  done
  kxs_boot=$((whole * 100 + 99))
}

# PATH…: whether none of them changed after the process that kxs_look saw was started. All three times are cut to hundredths:
# what was changed in the few around the start counts as read.
kxs_unchanged() {
  local start='' time=''
  kxs_booted || return
  if [ "$kxs_pid" -gt 0 ] && kx_proc "$kxs_pid"; then start=$kx_born; else start=$((kxs_since / 10000)); fi
  start=$((kxs_boot + start + 5))
  for time in $(stat -L -c %.2Z -- "$@" 2>/dev/null); do
    [ "${time%.*}${time#*.}" -le "$start" ] || return 1
  done
}

# UNIT [FINGERPRINT [PATH…]]: what `parseUnit` reads. With a fingerprint or paths, whether it was started with them.
kxs_show() {
  kxs_look "$1" || {
    echo KxInit=none
    return 0
  }
  printf '%s\n' "$kxs_said"
  if [ -n "$2" ] || [ "$#" -gt 2 ]; then
    kxs_freshness "$@"
  else
    kxs_recall "$1"
    kxs_fresh=yes
  fi
  printf 'KxFresh=%s\nKxRecord=%s\n' "$kxs_fresh" "${kxs_had:+$kxs_had $kxs_for}"
}

# UNIT: whether it was noted before files of it were changed, and whether it runs.
kxs_show_noted() {
  [ ! -e "$KX_STATE/services/$1.before" ] || echo noted
  ! kxs_look "$1" || echo "active $kxs_active"
}
