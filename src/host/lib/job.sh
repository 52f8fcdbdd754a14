# shellcheck shell=dash
# Jobs: commands that outlive the connection. A job lives in `$KX_RUN/jobs/KEY`:
# script, token (who started it), since (uptime), unit (its systemd unit), once (it has begun: never again), pid (with
# its start time), stdout, stderr, reports, rc; and, as in the directory of every shell ($KX_T), what the script needs for itself.

# KEY TOKEN SCRIPT: starts the job unless it has begun already. Prints the token of the first caller.
kx_job_start() {
  local job="$KX_RUN/jobs/$1" new=''
  if [ ! -d "$job" ]; then
    # Complete before it has its name; only one can have it.
    new=$KX_RUN/jobs/.$1.$2
    kx_uptime
    mkdir -p "$new" && printf '%s\n' "$3" >"$new/script" && printf '%s\n' "$kx_up" >"$new/since" &&
      printf '%s\n' "$2" >"$new/token" || return
    mv -T "$new" "$job" 2>/dev/null || rm -rf "$new"
  fi
  # Launching twice is harmless: only one gets past its own mkdir.
  # What could not be started leaves no record that looks like a job about to begin.
  [ -d "$job/once" ] || kx_job_launch "$1" || {
    [ -d "$job/once" ] || rm -rf "$job"
    return 1
  }
  cat "$job/token"
}

# KEY: starts its process, as a unit of systemd where that is possible.
kx_job_launch() {
  local job="$KX_RUN/jobs/$1" unit=''
  [ -s "$KX_RUN/lib.$KX_LIB_ID" ] || {
    printf '%s\n' "$KX_LIB" >"$KX_RUN/lib.$$" && mv -fT "$KX_RUN/lib.$$" "$KX_RUN/lib.$KX_LIB_ID" || return
  }
  # A unit runs in the mount namespace of pid 1: only when that is ours too.
  if [ "$KX_UID" = 0 ] && [ -d /run/systemd/system ] && [ /proc/1/ns/mnt -ef /proc/self/ns/mnt ] &&
    command -v systemd-run >/dev/null; then
    unit=kubexm-job-$1
    printf '%s\n' "$unit" >"$job/unit"
    # shellcheck disable=SC2086 # several words
    set -- --quiet --no-ask-password --unit="$unit" --description="kubexm job $1" \
      $KX_SH "$KX_RUN/lib.$KX_LIB_ID" job "$1" "$KX_STATE" "$KX_RUN"
    systemd-run --collect "$@" 2>/dev/null && return
    [ ! -d "$job/once" ] || return 0
    systemd-run "$@" && return
    rm -f "$job/unit"
    return 1
  fi
  # shellcheck disable=SC2086 # several words
  set -- $KX_SH "$KX_RUN/lib.$KX_LIB_ID" job "$1" "$KX_STATE" "$KX_RUN"
  # What a shell starts with & ignores INT and QUIT for ever; setsid can fork by itself, where it is not busybox's.
  setsid -f "$@" </dev/null >/dev/null 2>&1 && return
  if command -v setsid >/dev/null; then
    setsid "$@" </dev/null >/dev/null 2>&1 &
  else
    "$@" </dev/null >/dev/null 2>&1 &
  fi
}

# KEY: the job itself: leaves the exit code.
kx_job_main() {
  KX_T=$KX_RUN/jobs/$1 KX_REPORTS=$KX_RUN/jobs/$1/reports
  trap : HUP INT QUIT TERM
  mkdir "$KX_T/once" 2>/dev/null || exit 0
  kx_proc $$ && printf '%s %s\n' "$$" "$kx_born" >"$KX_T/pid"
  (
    set --
    . "$KX_T/script"
  ) </dev/null >"$KX_T/stdout" 2>"$KX_T/stderr"
  printf '%s\n' "$?" >"$KX_T/rc"
}

# KEY: absent, new (asked for, not begun), running, ended or dead, in kx_state; its age in kx_age, its exit code in kx_rc.
kx_job_state() {
  local job="$KX_RUN/jobs/$1" begun=''
  kx_rc='' kx_age=0
  if [ ! -s "$job/token" ]; then
    kx_state=absent
    return
  fi
  read -r begun <"$job/since" && kx_uptime && kx_age=$((kx_up - begun))
  if [ -s "$job/rc" ]; then
    kx_state=ended
  elif [ ! -s "$job/pid" ]; then
    kx_state=new
  elif kx_alive "$job/pid"; then
    kx_state=running
  elif [ -s "$job/rc" ]; then
    kx_state=ended
  else
    kx_state=dead
  fi
  [ $kx_state != ended ] || read -r kx_rc <"$job/rc"
}

# KEY LINE: state, exit code and age; with LINE also the last line it printed.
kx_job_poll() {
  local job="$KX_RUN/jobs/$1" end=''
  kx_job_state "$1"
  printf '%s %s %s\n' "$kx_state" "${kx_rc:--}" "$kx_age"
  [ -n "$2" ] && [ -s "$job/stdout" ] && end=$(tail -c 400 "$job/stdout") || return 0
  printf '%s\n' "${end##*
}"
}

# KEY STREAM CAP: the end of what an ended job printed.
kx_job_print() {
  [ ! -s "$KX_RUN/jobs/$1/rc" ] || [ ! -s "$KX_RUN/jobs/$1/$2" ] || tail -c "$3" "$KX_RUN/jobs/$1/$2"
}

# KEY SIGNAL: to all of the job's processes. KILL also writes the exit code that the job itself no longer can.
kx_job_kill() {
  local job="$KX_RUN/jobs/$1" unit='' leader=''
  kx_job_state "$1"
  case $kx_state in running | new) ;; *) return 0 ;; esac
  if [ -s "$job/unit" ]; then
    read -r unit <"$job/unit"
    systemctl kill --signal="$2" "$unit.service"
  elif kx_alive "$job/pid"; then
    leader=$kx_pid
    [ "$2" != KILL ] || kx_kill_tree "$leader"
    kill -"$2" "-$leader" 2>/dev/null
  fi
  [ "$2" != KILL ] || {
    mkdir "$job/once" 2>/dev/null
    [ -s "$job/rc" ] || echo 137 >"$job/rc"
  }
}

# KEY: removes the record of a job that does not run.
kx_job_forget() {
  local job="$KX_RUN/jobs/$1"
  kx_job_state "$1"
  if [ $kx_state = running ] || { [ $kx_state = new ] && [ "$kx_age" -lt 30 ]; }; then
    echo "job $1 still runs" >&2
    return 1
  fi
  [ ! -s "$job/unit" ] || systemctl reset-failed "kubexm-job-$1.service" 2>/dev/null
  rm -rf "$job" "$KX_RUN/jobs/.$1".*
  rmdir "$KX_RUN/jobs" 2>/dev/null && rm -f "$KX_RUN"/lib.*
  return 0
}

# Every job that lives: "KEY AGE" a line. One that has not begun after half a minute never will.
kx_jobs_alive() {
  local dir='' key=''
  for dir in "$KX_RUN"/jobs/*; do
    [ -d "$dir" ] || continue
    key=${dir##*/}
    kx_job_state "$key"
    case $kx_state in
      new) [ "$kx_age" -lt 30 ] || continue ;;
      running) ;;
      *) continue ;;
    esac
    printf '%s %s\n' "$key" "$kx_age"
  done
}
