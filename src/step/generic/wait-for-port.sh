# shellcheck shell=dash
# Trying a port from the host, with whatever it has.

# ADDRESS: whether it is this machine.
kxg_local() {
  case $1 in 127.* | localhost | ::1) return 0 ;; *) return 1 ;; esac
}

# ADDRESS PORT: 0 open, 1 not, 90 nothing to look with. Every way gives up after three seconds.
kxg_open() {
  local address=$1 took=''
  if command -v nc >/dev/null && nc -h 2>&1 | grep -q -e '-z'; then
    nc -z -w 3 "$1" "$2" </dev/null
  elif command -v bash >/dev/null && command -v timeout >/dev/null; then
    # shellcheck disable=SC2016 # bash expands it
    timeout 3 bash -c 'exec 3<>"/dev/tcp/$0/$1"' "$1" "$2"
  elif command -v python3 >/dev/null; then
    python3 -c 'import socket, sys; socket.create_connection((sys.argv[1], int(sys.argv[2])), 3)' "$1" "$2"
  elif command -v perl >/dev/null && perl -MIO::Socket::IP -e 1; then
    # shellcheck disable=SC2016 # perl expands it
    perl -MIO::Socket::IP -e 'IO::Socket::IP->new(PeerHost => $ARGV[0], PeerPort => $ARGV[1], Timeout => 3) or exit 1' "$1" "$2"
  elif command -v curl >/dev/null; then
    case $1 in *:*) address="[$1]" ;; esac
    took=$(curl -g -s -o /dev/null --noproxy '*' --connect-timeout 3 -m 3 -w '%{time_connect}' --url "http://$address:$2/" </dev/null)
    case $took in *[1-9]*) return 0 ;; *) return 1 ;; esac
  elif kxg_local "$1" && [ -r /proc/net/tcp ]; then
    cat /proc/net/tcp /proc/net/tcp6 | grep -qi "^ *[0-9]*: [0-9A-F]*:$(printf %04X "$2") [0-9A-F]*:[0-9A-F]* 0A "
  else
    return 90
  fi 2>/dev/null
}
