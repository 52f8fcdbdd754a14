# shellcheck shell=dash
# Jobs: commands that outlive the connection. A job lives in `$KX_RUN/jobs/KEY`:
# script, token (who started it), since (uptime), unit (its systemd unit), once (it has begun: never again), pid (with
# its start time), stdout, stderr, rc; and, as in the directory of every shell ($KX_T), what the script needs for itself.

# KEY TOKEN SCRIPT: starts the job unless it has begun already. Prints the token of the first caller.
kx_job_start() {
  kx_d=$KX_RUN/jobs/$1
  if [ ! -d "$kx_d" ]; then
    # Complete before it has its name; only one can have it.
    kx_new=$KX_RUN/jobs/.$1.$2
    kx_uptime
    mkdir -p "$kx_new" && printf '%s\n' "$3" >"$kx_new/script" && printf '%s\n' "$kx_up" >"$kx_new/since" &&
      printf '%s\n' "$2" >"$kx_new/token" || return
    mv -T "$kx_new" "$kx_d" 2>/dev/null || rm -rf "$kx_new"
  fi
  # Launching twice is harmless: only one gets past its own mkdir.
  # What could not be started leaves no record that looks like a job about to begin.
  [ -d "$kx_d/once" ] || kx_job_launch "$1" || {
    [ -d "$kx_d/once" ] || rm -rf "$kx_d"
    return 1
  }
  cat "$kx_d/token"
}

kx_job_launch() {
  [ -s "$KX_RUN/lib.$KX_LIB_ID" ] || {
    printf '%s\n' "$KX_LIB" >"$KX_RUN/lib.$$" && mv -fT "$KX_RUN/lib.$$" "$KX_RUN/lib.$KX_LIB_ID" || return
  }
  # A unit runs in the mount namespace of pid 1: only when that is ours too.
  if [ "$KX_UID" = 0 ] && [ -d /run/systemd/system ] && [ /proc/1/ns/mnt -ef /proc/self/ns/mnt ] &&
    command -v systemd-run >/dev/null; then
    kx_unit=kubexm-job-$1
    printf '%s\n' "$kx_unit" >"$kx_d/unit"
    # shellcheck disable=SC2086 # several words
    set -- --quiet --no-ask-password --unit="$kx_unit" --description="kubexm job $1" \
      $KX_SH "$KX_RUN/lib.$KX_LIB_ID" job "$1" "$KX_STATE" "$KX_RUN"
    systemd-run --collect "$@" 2>/dev/null && return
    [ ! -d "$kx_d/once" ] || return 0
    systemd-run "$@" && return
    rm -f "$kx_d/unit"
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

# The job itself: leaves the exit code.
kx_job_main() {
  kx_d=$KX_RUN/jobs/$1 KX_T=$KX_RUN/jobs/$1
  trap : HUP INT QUIT TERM
  mkdir "$kx_d/once" 2>/dev/null || exit 0
  kx_proc $$ && printf '%s %s\n' "$$" "$kx_born" >"$kx_d/pid"
  (
    set --
    . "$kx_d/script"
  ) </dev/null >"$kx_d/stdout" 2>"$kx_d/stderr"
  printf '%s\n' "$?" >"$kx_d/rc"
}

# KEY: absent, new (asked for, not begun), running, ended or dead, in kx_state; its age in kx_age, its exit code in kx_rc.
kx_job_state() {
  kx_d=$KX_RUN/jobs/$1 kx_rc='' kx_age=0 kx_begun=
  if [ ! -s "$kx_d/token" ]; then
    kx_state=absent
    return
  fi
  read -r kx_begun <"$kx_d/since" && kx_uptime && kx_age=$((kx_up - kx_begun))
  if [ -s "$kx_d/rc" ]; then
    kx_state=ended
  elif [ ! -s "$kx_d/pid" ]; then
    kx_state=new
  elif kx_alive "$kx_d/pid"; then
    kx_state=running
  elif [ -s "$kx_d/rc" ]; then
    kx_state=ended
  else
    kx_state=dead
  fi
  [ $kx_state != ended ] || read -r kx_rc <"$kx_d/rc"
}

# KEY LINE: state, exit code and age; with LINE also the last line it printed.
kx_job_poll() {
  kx_job_state "$1"
  printf '%s %s %s\n' "$kx_state" "${kx_rc:--}" "$kx_age"
  [ -n "$2" ] && [ -s "$kx_d/stdout" ] && kx_x=$(tail -c 400 "$kx_d/stdout") || return 0
  printf '%s\n' "${kx_x##*
}"
}

# KEY STREAM CAP: the end of what an ended job printed.
kx_job_print() {
  [ ! -s "$KX_RUN/jobs/$1/rc" ] || [ ! -s "$KX_RUN/jobs/$1/$2" ] || tail -c "$3" "$KX_RUN/jobs/$1/$2"
}

# KEY SIGNAL: to all of the job's processes. KILL also writes the exit code that the job itself no longer can.
kx_job_kill() {
  kx_job_state "$1"
  case $kx_state in running | new) ;; *) return 0 ;; esac
  if [ -s "$kx_d/unit" ]; then
    read -r kx_unit <"$kx_d/unit"
    systemctl kill --signal="$2" "$kx_unit.service"
  elif kx_alive "$kx_d/pid"; then
    kx_leader=$kx_pid
    [ "$2" != KILL ] || kx_kill_tree "$kx_leader"
    kill -"$2" "-$kx_leader" 2>/dev/null
  fi
  [ "$2" != KILL ] || {
    mkdir "$kx_d/once" 2>/dev/null
    [ -s "$kx_d/rc" ] || echo 137 >"$kx_d/rc"
  }
}

# KEY: removes the record of a job that does not run.
kx_job_forget() {
  kx_job_state "$1"
  if [ $kx_state = running ] || { [ $kx_state = new ] && [ "$kx_age" -lt 30 ]; }; then
    echo "job $1 still runs" >&2
    return 1
  fi
  [ ! -s "$kx_d/unit" ] || systemctl reset-failed "kubexm-job-$1.service" 2>/dev/null
  rm -rf "$kx_d" "$KX_RUN/jobs/.$1".*
  rmdir "$KX_RUN/jobs" 2>/dev/null && rm -f "$KX_RUN"/lib.*
  return 0
}

# Every job that lives: "KEY AGE" a line. One that has not begun after half a minute never will.
kx_jobs_alive() {
  for kx_dir in "$KX_RUN"/jobs/*; do
    [ -d "$kx_dir" ] || continue
    kx_key=${kx_dir##*/}
    kx_job_state "$kx_key"
    case $kx_state in
      new) [ "$kx_age" -lt 30 ] || continue ;;
      running) ;;
      *) continue ;;
    esac
    printf '%s %s\n' "$kx_key" "$kx_age"
  done
}
