# shellcheck shell=dash
# The machine's lock: fd 9 of the persistent shell holds a flock on `$KX_RUN/lock`; `lock.owner` says who (one line
# `TOKEN RUN`, one `PID BORN DIR` of the holding shell, one of JSON, one with the hundredths of seconds for which the owner may
# be silent because it reconnects), `lock.beat` when the owner was last heard of, in hundredths of seconds since boot. A free
# flock with a fresh beat belongs to a run that is reconnecting.

# TOKEN RUN STALE FORCE JSON AWAY: takes the lock. AWAY: hundredths for which we may be silent; each owner says that itself.
# FORCE: the token of an owner whose process is gone for all we know; STALE: hundredths of silence after which its shell, which
# may still be ending a command, is ended too.
# Prints "taken" and this boot's name, or why not and who has it.
kx_lock_take() {
  local stale='' tries=0 gone='' was=''
  kx_lock_read
  if [ -n "$kx_o_token" ] && [ "$kx_o_token" != "$1" ]; then
    stale=${kx_o_away:-$3}
    [ "$kx_o_token" != "$4" ] || stale=$3
    [ "$kx_o_silent" -lt "$stale" ] || gone=1
    if [ -z "$gone" ] && [ "$kx_o_token" != "$4" ]; then
      kx_lock_tell held
      return
    fi
  fi
  # Also when nobody holds the lock: a run that was stopped at once has given it back, but its job goes on.
  if [ -d "$KX_RUN/jobs" ] && [ "$kx_o_token" != "$1" ] && [ "$kx_o_run" != "$2" ] && [ -n "$(kx_jobs_of_others "$2")" ]; then
    kx_lock_tell job
    return
  fi
  if ! kx_lock_flock; then
    if [ -z "$kx_o_dir" ] || [ "$kx_o_dir" = "$KX_T" ]; then
      kx_lock_tell held
      return
    fi
    if [ -z "$gone" ] && [ "$kx_o_token" != "$1" ]; then
      kx_lock_tell held
      return
    fi
    # The owner is gone, but its shell still hangs on the lock.
    kx_reap "$kx_o_dir"
    while ! kx_lock_flock; do
      tries=$((tries + 1))
      [ "$tries" -lt 20 ] || {
        kx_lock_tell held
        return
      }
      sleep 0.1 2>/dev/null || sleep 1
    done
  fi
  # While we hold the flock nobody else writes: look again, for someone may have been faster.
  was=$kx_o_token
  kx_lock_read
  if [ "$kx_o_token" != "$was" ]; then
    kx_lock_let
    kx_lock_tell held
    return
  fi
  # So may a job: the last owner's shell can have started one just before its end.
  if [ -d "$KX_RUN/jobs" ] && [ "$kx_o_token" != "$1" ] && [ "$kx_o_run" != "$2" ] && [ -n "$(kx_jobs_of_others "$2")" ]; then
    kx_lock_let
    kx_lock_tell job
    return
  fi
  # The beat first: an owner without one would look dead.
  kx_proc $$
  kx_uptime
  printf '%s\n' "$kx_ticks" >"$KX_RUN/lock.beat" &&
    printf '%s %s\n%s %s %s\n%s\n%s\n' "$1" "$2" "$$" "$kx_born" "$KX_T" "$5" "$6" >"$KX_RUN/lock.owner.$$" &&
    mv -fT "$KX_RUN/lock.owner.$$" "$KX_RUN/lock.owner" || {
    kx_lock_let
    return 1
  }
  kx_boot
  echo "taken $kx_boot"
}

# RUN: living jobs that are not this run's.
kx_jobs_of_others() {
  local key='' age=''
  kx_jobs_alive | while read -r key age; do
    case $key in "$1".*) ;; *) echo "$key" ;; esac
  done
}

# BOOT TOKEN RUN STALE JSON AWAY: takes the lock again in a new shell. Unless the machine was restarted since, the record
# must still be ours: if somebody removed it, that was on purpose.
kx_lock_retake() {
  kx_lock_read
  kx_boot
  if [ "$kx_boot" = "$1" ] && [ "$kx_o_token" != "$2" ]; then
    kx_lock_tell held
    return
  fi
  kx_lock_take "$2" "$3" "$4" '' "$5" "$6"
}

# Opens and locks. The last owner may have removed the file in between, so look whether it is still the one.
kx_lock_flock() {
  [ -d "$KX_RUN" ] || mkdir -p "$KX_RUN" || return
  kx_has_flock || {
    kx_lock_mkdir
    return
  }
  if [ /proc/self/fd/9 -ef "$KX_RUN/lock" ] && flock -n 9; then return 0; fi
  command exec 9>>"$KX_RUN/lock" || return
  if flock -n 9 && [ /proc/self/fd/9 -ef "$KX_RUN/lock" ]; then return 0; fi
  exec 9>&-
  return 1
}

# Where there is no flock(1): a directory, and the pid and start time of its maker.
kx_lock_mkdir() {
  if ! mkdir "$KX_RUN/lock.d" 2>/dev/null; then
    if kx_alive "$KX_RUN/lock.d/pid"; then
      [ "$kx_pid" = "$$" ]
      return
    fi
    # Only one can move it away.
    mv -T "$KX_RUN/lock.d" "$KX_RUN/lock.d.$$" 2>/dev/null && rm -rf "$KX_RUN/lock.d.$$"
    mkdir "$KX_RUN/lock.d" 2>/dev/null || return
  fi
  kx_proc $$ && printf '%s %s\n' "$$" "$kx_born" >"$KX_RUN/lock.d/pid"
}

# Lets go of what kx_lock_flock took.
kx_lock_let() {
  exec 9>&-
  if [ -d "$KX_RUN/lock.d" ] && kx_alive "$KX_RUN/lock.d/pid" && [ "$kx_pid" = "$$" ]; then rm -rf "$KX_RUN/lock.d"; fi
}

# Who holds the lock, in kx_o_*.
kx_lock_read() {
  local beat='' born=''
  kx_o_token='' kx_o_run='' kx_o_pid='' kx_o_dir='' kx_o_json='' kx_o_away='' kx_o_silent=0
  [ -s "$KX_RUN/lock.owner" ] || return 0
  {
    read -r kx_o_token kx_o_run
    read -r kx_o_pid born kx_o_dir
    IFS= read -r kx_o_json
    read -r kx_o_away
  } <"$KX_RUN/lock.owner"
  kx_uptime
  { read -r beat <"$KX_RUN/lock.beat"; } 2>/dev/null
  kx_o_silent=$((kx_ticks - ${beat:-$kx_ticks}))
}

# REASON: first a line "REASON TOKEN SILENT HOLDER", then the owner, then living jobs.
kx_lock_tell() {
  printf '%s %s %s %s\n%s\n' "$1" "${kx_o_token:--}" "${kx_o_silent:-0}" "${kx_o_pid:--}" "$kx_o_json"
  kx_jobs_alive
}

# TOKEN: says that the owner lives. Only builtins, from any shell of the same machine.
kx_lock_beat() {
  local token='' run=''
  { read -r token run <"$KX_RUN/lock.owner"; } 2>/dev/null
  if [ "$token" != "$1" ]; then
    echo lost
    return
  fi
  kx_uptime
  printf '%s\n' "$kx_ticks" >"$KX_RUN/lock.beat"
}

# TOKEN: gives the lock back.
kx_lock_drop() {
  kx_lock_read
  [ "$kx_o_token" != "$1" ] || rm -f "$KX_RUN/lock.owner" "$KX_RUN/lock.beat" "$KX_RUN/lock"
  kx_lock_let
}

# Prints the holder of the lock in the format of kx_lock_take; nothing when the lock is free.
kx_lock_show() {
  kx_lock_read
  [ -z "$kx_o_token" ] || kx_lock_tell held
}

# TOKEN: ends that owner's shell and forgets it.
kx_lock_break() {
  kx_lock_read
  [ "$kx_o_token" = "$1" ] || return 1
  [ -z "$kx_o_dir" ] || kx_reap "$kx_o_dir"
  rm -rf "$KX_RUN/lock.owner" "$KX_RUN/lock.beat" "$KX_RUN/lock" "$KX_RUN/lock.d"
  kx_tidy
}
