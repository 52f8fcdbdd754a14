# shellcheck shell=dash
# Listening on ports, and trying to reach others. Needs ports.sh.

# SECONDS PORT…: listens on those of the ports that nobody listens on, in the background, for so long. Nothing is ever answered: that
# the connection is made is all that is asked. Every systemd brings a program that listens. Prints "listening" or "none".
kxp_listen() {
  local seconds="$1" busy='' free='' port='' inode='' try='' left=''
  shift
  busy=" $(kxp_listening "$@" | while read -r port inode; do printf '%s ' "$port"; done)"
  for port; do
    case $busy in *" $port "*) ;; *) free="$free $port" ;; esac
  done
  if [ -z "$free" ]; then
    echo listening
    return
  fi
  command -v timeout >/dev/null && command -v setsid >/dev/null && kxp_listener "$seconds" "$free" || {
    echo none
    return 0
  }
  for try in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do
    left=0
    for port in $free; do [ -n "$(kxp_listening "$port")" ] || left=1; done
    if [ "$left" = 0 ]; then
      echo listening
      return
    fi
    sleep 0.1
  done
  echo none
}

# SECONDS PORTS: starts the listener; its process is noted in $KX_RUN/preflight.pid. Fails if there is no program for it.
kxp_listener() {
  local seconds="$1" ports="$2" port=''
  set --
  if command -v systemd-socket-activate >/dev/null; then
    for port in $ports; do set -- "$@" -l "$port"; done
    set -- systemd-socket-activate "$@" sleep "$seconds"
  elif command -v python3 >/dev/null; then
    # shellcheck disable=SC2086 # several words
    set -- python3 -c 'import socket, sys, time
family = socket.AF_INET6 if socket.has_dualstack_ipv6() else socket.AF_INET
both = family == socket.AF_INET6
held = [socket.create_server(("", int(port)), family=family, dualstack_ipv6=both) for port in sys.argv[2:]]
time.sleep(int(sys.argv[1]))' "$seconds" $ports
  else
    return 1
  fi
  mkdir -p "$KX_RUN" || exit
  setsid timeout "$seconds" "$@" </dev/null >/dev/null 2>&1 &
  echo "$!" >"$KX_RUN/preflight.pid"
}

# Ends the listener.
kxp_unlisten() {
  local pid=''
  { read -r pid <"$KX_RUN/preflight.pid"; } 2>/dev/null || return 0
  kill "$pid" 2>/dev/null
  rm -f "$KX_RUN/preflight.pid"
}

# SECONDS MOST: begins to try others, for so long and so many at once. Ends the script with "none" where there is nothing to try with.
kxp_begin() {
  if ! command -v bash >/dev/null || ! command -v timeout >/dev/null; then
    echo none
    exit 0
  fi
  kxp_end=$(($(date +%s) + $1)) kxp_most=$2 kxp_count=0
}

# HOST ADDRESS PORT: says "no HOST PORT" if it cannot be reached.
kxp_try() {
  [ "$(date +%s)" -lt "$kxp_end" ] || return 0
  # shellcheck disable=SC2016 # bash expands it
  timeout 3 bash -c 'exec 3<>"/dev/tcp/$0/$1"' "$2" "$3" 2>/dev/null || echo "no $1 $3"
}

# HOST ADDRESS PORT: the same in the background.
kxp_next() {
  kxp_try "$@" &
  kxp_count=$((kxp_count + 1))
  [ "$kxp_count" -lt "$kxp_most" ] || {
    kxp_count=0
    wait
  }
}
