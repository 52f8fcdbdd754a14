# shellcheck shell=dash
# Calls and answers. A call is a line `kx_call ID CAP 'script' …` on the shell's stdin. Each script runs in a subshell,
# its output goes to files of its own (a late background child can then not speak into the next answer), and one
# `head` prints them all: the file names contain the session's nonce, which makes its headings the delimiters.
#
#   NONCE ID CODE[o][e][r] …     o, e, r: there is stdout, stderr, something reported
#   ==> NONCE.ID.1.o <==         as `head -v` prints
#   NONCE ID .

# NONCE STATE RUN: makes this shell ready for calls.
kx_open() {
  KX_N=$1 KX_STATE=$2 KX_RUN=$3
  kx_env
  KX_T=$KX_RUN/sh.$KX_N kx_made=0
  trap : HUP INT QUIT TERM ALRM USR1 USR2 PIPE
  kx_room || exit 1
  trap kx_close EXIT
  kx_sweep
}

# The directory for output, and for files that a script needs while it runs. The shell stays in it, so that file names are
# short and hold no odd characters. Somebody may remove it: then it is made again.
kx_room() {
  mkdir -p "$KX_T" && cd "$KX_T" || return
  kx_proc $$ && printf '%s %s\n' "$$" "$kx_born" >pid
}

# The end of this shell.
kx_close() {
  cd /
  rm -rf "$KX_T"
  kx_tidy
}

# What shells that were killed left behind.
kx_sweep() {
  local dir=''
  for dir in "$KX_RUN"/sh.*; do
    [ "$dir" = "$KX_T" ] || [ ! -s "$dir/pid" ] || kx_alive "$dir/pid" || rm -rf "$dir"
  done
}

# The subshell is the isolation: exit, set -e, traps, cd, umask and variables stay inside.
kx_child() {
  KX_REPORTS=$KX_T/$kx_base.r
  (
    { cd -P /proc/self && printf '%s %s\n' "$kx_id" "${PWD#/proc/}" >"$KX_T/now"; } 2>/dev/null
    cd /
    set --
    eval "$kx_script"
  ) </dev/null >"$kx_base.o" 2>"$kx_base.e" 9>&-
}

# ID CAP SCRIPT…: runs each script and answers. These functions share kx_id, kx_cap, kx_n (the number of the script), kx_base (the start of
# the names of its files), kx_code, and for the answer kx_codes and kx_files.
kx_call() {
  kx_id=$1 kx_cap=$2 kx_n=0 kx_codes='' kx_files=
  shift 2
  for kx_script; do
    kx_n=$((kx_n + 1))
    kx_base=$KX_N.$kx_id.$kx_n
    if [ -e "stop.$kx_id" ]; then
      kx_codes="$kx_codes -"
      continue
    fi
    [ -e pid ] || kx_room
    kx_child
    kx_code=$?
    kx_collect
  done
  kx_answer
}

# Like kx_call, but in this very shell: for what must outlive the call, such as an open lock file. Internal scripts only.
kx_here() {
  kx_id=$1 kx_cap=$2 kx_n=1 kx_codes='' kx_files=
  kx_base=$KX_N.$kx_id.1
  KX_REPORTS=$KX_T/$kx_base.r
  [ -e pid ] || kx_room
  { eval "$3"; } </dev/null >"$kx_base.o" 2>"$kx_base.e"
  kx_code=$?
  kx_collect
  kx_answer
}

# Notes how the script ended, and what it said.
kx_collect() {
  if [ ! -e "$kx_base.e" ]; then
    kx_code=x
  else
    [ ! -s "$kx_base.o" ] || { kx_code=${kx_code}o kx_files="$kx_files $kx_base.o"; }
    [ ! -s "$kx_base.e" ] || { kx_code=${kx_code}e kx_files="$kx_files $kx_base.e"; }
    [ ! -s "$kx_base.r" ] || { kx_code=${kx_code}r kx_files="$kx_files $kx_base.r"; }
  fi
  kx_codes="$kx_codes $kx_code"
}

# Prints the answer.
kx_answer() {
  local file=''
  printf '\n%s %s%s\n' "$KX_N" "$kx_id" "$kx_codes"
  # shellcheck disable=SC2086 # several words
  [ -z "$kx_files" ] || head -v -c "$kx_cap" $kx_files
  printf '\n%s %s .\n' "$KX_N" "$kx_id"
  # Space is given back at once without a fork, names now and then with one.
  for file in $kx_files; do true >"$file"; done
  kx_made=$((kx_made + kx_n))
  [ "$kx_made" -lt 100 ] || {
    rm -f "$KX_N".* stop.*
    kx_made=0
  }
}

# TYPE TEXT: reports something typed beside what the script prints, one line each. Types are those of StepReport in src/model.
kx_report() {
  kx_said=$2
  while :; do
    case $kx_said in *"
"*) kx_said="${kx_said%%"
"*} ${kx_said#*"
"}" ;; *) break ;; esac
  done
  if [ -n "$KX_REPORTS" ]; then
    printf '%s %s\n' "$1" "$kx_said" >>"$KX_REPORTS"
  else
    printf '%s\n' "$kx_said" >&2
  fi
}

# TEXT: ends a script that cannot undo anything, because what is there is not its own: LEFT_CODE.
kx_leave() {
  kx_report left "$1"
  [ -z "$KX_REPORTS" ] || printf '%s\n' "$1" >&2
  exit 65
}

# DIR PID ID…: from another shell, stops calls of the shell PID that lives in DIR, or keeps them from starting. All are
# marked before one is killed: else the next would begin.
kx_stop() {
  local where="$1" shell="$2" id='' pid=''
  shift 2
  for id; do true >"$where/stop.$id"; done
  { read -r id pid <"$where/now"; } 2>/dev/null || return 0
  case " $* " in *" $id "*) kx_proc "$pid" && [ "$kx_ppid" = "$shell" ] && kx_kill_tree "$pid" ;; esac
  return 0
}

# DIR: from another shell, ends the shell that lives in DIR with all it runs.
kx_reap() {
  if kx_alive "$1/pid"; then kx_kill_tree "$kx_pid"; fi
  rm -rf "$1"
}
