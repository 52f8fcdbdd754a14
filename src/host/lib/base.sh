# shellcheck shell=dash
# Environment, clock and processes: what the rest of the library stands on. Only builtins, except where it says so.

# The environment of every script: it does not depend on how the shell was started.
kx_env() {
  local uid='' shell=''
  PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin
  LC_ALL=C LANG=C TERM=dumb
  unset CDPATH ENV BASH_ENV IFS OLDPWD
  # Who started us may know who we are, and in which shell; but nobody else shall see it.
  uid=$KX_UID shell=${KX_SH:-/bin/sh}
  unset KX_UID KX_SH
  KX_UID=$uid KX_SH=$shell
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
  local key='' real='' more=''
  { while read -r key real KX_UID more && [ "$key" != Uid: ]; do :; done </proc/self/status; } 2>/dev/null
  [ "$key" = Uid: ] || KX_UID=$(id -u)
}

# Time since boot: seconds in kx_up, hundredths in kx_ticks. No clock jumps, no fork.
kx_uptime() {
  local idle=''
  read -r kx_up idle </proc/uptime
  kx_ticks=${kx_up%%.*}${kx_up##*.}
  kx_up=${kx_up%%.*}
}

# Which boot this is, in kx_boot.
kx_boot() { read -r kx_boot </proc/sys/kernel/random/boot_id; }

# Parent and start time of a process, in kx_ppid and kx_born. Fails when it is gone.
kx_proc() {
  local line=''
  kx_ppid='' kx_born=
  { IFS= read -r line <"/proc/$1/stat"; } 2>/dev/null || return 1
  # shellcheck disable=SC2086 # several words
  set -- ${line##*) }
  kx_ppid=$2 kx_born=${20}
  [ "$1" != Z ]
}

# Whether the process "PID BORN" of a file still lives; its pid in kx_pid.
kx_alive() {
  local born=''
  kx_pid=''
  { read -r kx_pid born <"$1"; } 2>/dev/null || return 1
  [ -n "$born" ] && kx_proc "$kx_pid" && [ "$kx_born" = "$born" ]
}

# Kills a process and everything below it. Stopped first, so that nothing new escapes while we look; the process itself
# dies last, so that who waits for it knows that all are gone.
kx_kill_tree() {
  local all='' more='' dir='' one=''
  kill -STOP "$1" 2>/dev/null || return 0
  all=" $1 " more=1
  while [ -n "$more" ]; do
    more=
    for dir in /proc/[0-9]*; do
      one=${dir#/proc/}
      case $all in *" $one "*) continue ;; esac
      kx_proc "$one" || continue
      case $all in *" $kx_ppid "*)
        kill -STOP "$one" 2>/dev/null
        all=" $one$all" more=1
        ;;
      esac
    done
  done
  # shellcheck disable=SC2086 # several words
  kill -KILL $all 2>/dev/null
  return 0
}

# flock(1), or nothing where there is none.
kx_has_flock() { [ -z "$KX_NO_FLOCK" ] && command -v flock >/dev/null; }

# FILE: what is in it but for the last line breaks, in kx_text. No fork where that is one line.
kx_read() {
  local more=''
  { IFS= read -r kx_text && ! IFS= read -r more && [ -z "$more" ]; } <"$1" || kx_text=$(cat "$1")
}

# DIR: removes a directory that is empty. One that is not, or that is not there, costs no fork.
kx_rmdir() {
  local entry=''
  [ -d "$1" ] || return
  for entry in "$1"/* "$1"/.[!.]*; do
    [ ! -e "$entry" ] && [ ! -L "$entry" ] || return 1
  done
  rmdir "$1" 2>/dev/null
}

# Removes the directories of kubexm that are empty, so that no trace is left.
kx_tidy() {
  local file=''
  if [ -d "$KX_RUN" ]; then
    kx_sum_tidy
    if kx_rmdir "$KX_RUN/jobs" || [ ! -d "$KX_RUN/jobs" ]; then
      for file in "$KX_RUN"/lib.*; do [ ! -f "$file" ] || rm -f "$file"; done
    fi
    kx_rmdir "$KX_RUN"
  fi
  if [ -d "$KX_STATE" ]; then
    kx_rmdir "$KX_STATE/undo"
    kx_rmdir "$KX_STATE"
  fi
  return 0
}
