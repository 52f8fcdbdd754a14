# shellcheck shell=dash

# PORT…: those of the ports that somebody listens on, each with the socket's inode. From /proc: not every system has ss, and none is
# without this.
kxp_listening() {
  local wanted=" $* " file='' address='' state='' inode='' port='' x=''
  for file in /proc/net/tcp /proc/net/tcp6; do
    [ -r "$file" ] || continue
    while read -r x address x state x x x x x inode x; do
      [ "$state" = 0A ] || continue
      port=$((0x${address##*:}))
      case $wanted in *" $port "*) echo "$port $inode" ;; esac
    done <"$file"
  done
}
