# shellcheck shell=dash
# Calls and answers. A call is a line `kx_call ID CAP 'script' …` on the shell's stdin. Each script runs in a subshell,
# its output goes to files of its own (a late background child can then not speak into the next answer), and one
# `head` prints them all: the file names contain the session's nonce, which makes its headings the delimiters.
#
#   NONCE ID CODE[o][e] …        o, e: there is stdout, stderr
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

kx_close() {
  cd /
  rm -rf "$KX_T"
  kx_tidy
}

# What shells that were killed left behind.
kx_sweep() {
  for kx_dir in "$KX_RUN"/sh.*; do
    [ "$kx_dir" = "$KX_T" ] || [ ! -s "$kx_dir/pid" ] || kx_alive "$kx_dir/pid" || rm -rf "$kx_dir"
  done
}

# The subshell is the isolation: exit, set -e, traps, cd, umask and variables stay inside.
kx_child() {
  (
    { cd -P /proc/self && printf '%s %s\n' "$kx_id" "${PWD#/proc/}" >"$KX_T/now"; } 2>/dev/null
    cd /
    set --
    eval "$kx_script"
  ) </dev/null >"$kx_base.o" 2>"$kx_base.e" 9>&-
}

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
  [ -e pid ] || kx_room
  { eval "$3"; } </dev/null >"$kx_base.o" 2>"$kx_base.e"
  kx_code=$?
  kx_collect
  kx_answer
}

kx_collect() {
  if [ ! -e "$kx_base.e" ]; then
    kx_code=x
  else
    [ ! -s "$kx_base.o" ] || { kx_code=${kx_code}o kx_files="$kx_files $kx_base.o"; }
    [ ! -s "$kx_base.e" ] || { kx_code=${kx_code}e kx_files="$kx_files $kx_base.e"; }
  fi
  kx_codes="$kx_codes $kx_code"
}

kx_answer() {
  printf '\n%s %s%s\n' "$KX_N" "$kx_id" "$kx_codes"
  # shellcheck disable=SC2086 # several words
  [ -z "$kx_files" ] || head -v -c "$kx_cap" $kx_files
  printf '\n%s %s .\n' "$KX_N" "$kx_id"
  # Space is given back at once without a fork, names now and then with one.
  for kx_file in $kx_files; do true >"$kx_file"; done
  kx_made=$((kx_made + kx_n))
  [ "$kx_made" -lt 100 ] || {
    rm -f "$KX_N".* stop.*
    kx_made=0
  }
}

# DIR PID ID…: from another shell, stops calls of the shell PID that lives in DIR, or keeps them from starting. All are
# marked before one is killed: else the next would begin.
kx_stop() {
  kx_where=$1 kx_shell=$2
  shift 2
  for kx_i; do true >"$kx_where/stop.$kx_i"; done
  { read -r kx_i kx_p <"$kx_where/now"; } 2>/dev/null || return 0
  case " $* " in *" $kx_i "*) kx_proc "$kx_p" && [ "$kx_ppid" = "$kx_shell" ] && kx_kill_tree "$kx_p" ;; esac
  return 0
}

# DIR: from another shell, ends the shell that lives in DIR with all it runs.
kx_reap() {
  if kx_alive "$1/pid"; then kx_kill_tree "$kx_pid"; fi
  rm -rf "$1"
}
