# shellcheck shell=dash
# Environment, clock and processes: what the rest of the library stands on. Only builtins, except where it says so.

kx_env() {
  PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin
  LC_ALL=C LANG=C TERM=dumb
  unset CDPATH ENV BASH_ENV IFS OLDPWD
  # Who started us may know who we are, and in which shell; but nobody else shall see it.
  kx_x=$KX_UID kx_y=${KX_SH:-/bin/sh}
  unset KX_UID KX_SH
  KX_UID=$kx_x KX_SH=$kx_y
  [ -n "$KX_UID" ] || kx_who
  if [ "$KX_UID" = 0 ]; then
    HOME=~root USER=root LOGNAME=root
    [ -d "$HOME" ] || HOME=/root
    [ -n "$KX_STATE" ] || KX_STATE=/var/lib/kubexm
    [ -n "$KX_RUN" ] || KX_RUN=/run/kubexm
  else
    LOGNAME=$USER
    [ -n "$KX_STATE" ] || KX_STATE=$HOME/.local/state/kubexm
    if [ -z "$KX_RUN" ]; then
      if [ -w "/run/user/$KX_UID" ]; then KX_RUN=/run/user/$KX_UID/kubexm; else KX_RUN=$KX_STATE/run; fi
    fi
  fi
  export PATH LC_ALL LANG TERM HOME USER LOGNAME
  umask 077
  cd /
}

# Who we are, in KX_UID. No fork where the kernel tells.
kx_who() {
  { while read -r kx_x kx_y KX_UID kx_z && [ "$kx_x" != Uid: ]; do :; done </proc/self/status; } 2>/dev/null
  [ "$kx_x" = Uid: ] || KX_UID=$(id -u)
}

# Time since boot: seconds in kx_up, hundredths in kx_ticks. No clock jumps, no fork.
kx_uptime() {
  read -r kx_up kx_x </proc/uptime
  kx_ticks=${kx_up%%.*}${kx_up##*.}
  kx_up=${kx_up%%.*}
}

# Which boot this is, in kx_boot.
kx_boot() { read -r kx_boot </proc/sys/kernel/random/boot_id; }

# Parent and start time of a process, in kx_ppid and kx_born. Fails when it is gone.
kx_proc() {
  kx_ppid='' kx_born=
  { IFS= read -r kx_line <"/proc/$1/stat"; } 2>/dev/null || return 1
  # shellcheck disable=SC2086 # several words
  set -- ${kx_line##*) }
  kx_ppid=$2 kx_born=${20}
  [ "$1" != Z ]
}

# Whether the process "PID BORN" of a file still lives; its pid in kx_pid.
kx_alive() {
  kx_pid='' kx_was=
  { read -r kx_pid kx_was <"$1"; } 2>/dev/null || return 1
  [ -n "$kx_was" ] && kx_proc "$kx_pid" && [ "$kx_born" = "$kx_was" ]
}

# Kills a process and everything below it. Stopped first, so that nothing new escapes while we look; the process itself
# dies last, so that who waits for it knows that all are gone.
kx_kill_tree() {
  kill -STOP "$1" 2>/dev/null || return 0
  kx_all=" $1 " kx_more=1
  while [ -n "$kx_more" ]; do
    kx_more=
    for kx_dir in /proc/[0-9]*; do
      kx_one=${kx_dir#/proc/}
      case $kx_all in *" $kx_one "*) continue ;; esac
      kx_proc "$kx_one" || continue
      case $kx_all in *" $kx_ppid "*)
        kill -STOP "$kx_one" 2>/dev/null
        kx_all=" $kx_one$kx_all" kx_more=1
        ;;
      esac
    done
  done
  # shellcheck disable=SC2086 # several words
  kill -KILL $kx_all 2>/dev/null
  return 0
}

# flock(1), or nothing where there is none.
kx_has_flock() { [ -z "$KX_NO_FLOCK" ] && command -v flock >/dev/null; }

# FILE: what is in it but for the last line breaks, in kx_text. No fork where that is one line.
kx_read() {
  { IFS= read -r kx_text && ! IFS= read -r kx_x && [ -z "$kx_x" ]; } <"$1" || kx_text=$(cat "$1")
}

# DIR: removes a directory that is empty. One that is not, or that is not there, costs no fork.
kx_rmdir() {
  [ -d "$1" ] || return
  for kx_in in "$1"/* "$1"/.[!.]*; do
    [ ! -e "$kx_in" ] && [ ! -L "$kx_in" ] || return 1
  done
  rmdir "$1" 2>/dev/null
}

# Removes the directories of kubexm that are empty, so that no trace is left.
kx_tidy() {
  if [ -d "$KX_RUN" ]; then
    kx_sum_tidy
    if kx_rmdir "$KX_RUN/jobs" || [ ! -d "$KX_RUN/jobs" ]; then
      for kx_x in "$KX_RUN"/lib.*; do [ ! -f "$kx_x" ] || rm -f "$kx_x"; done
    fi
    kx_rmdir "$KX_RUN"
  fi
  if [ -d "$KX_STATE" ]; then
    kx_rmdir "$KX_STATE/undo"
    kx_rmdir "$KX_STATE"
  fi
  return 0
}
