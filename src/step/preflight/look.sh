# shellcheck shell=dash
# What facts do not have, in sections as `splitFacts` reads them. Needs ports.sh.

# Whether a node of a cluster of ours is at work here.
kxp_is_at_work() { [ -e /etc/kubernetes/kubelet.conf ] && [ -n "$(kx_manifest_owner)" ]; }

# Whose machine this is, and which.
kxp_owner() {
  echo '@@ owner'
  kx_manifest_owner
  echo '@@ uuid'
  cat /sys/class/dmi/id/product_uuid 2>/dev/null
}

# [DIR]: what is left of a cluster, and what runs. DIR: where etcd's data will be.
kxp_left() {
  local dir='' unit='' link='' file='' name=''
  echo '@@ left'
  [ -z "$1" ] || [ ! -e "$1/member" ] || echo "$1"
  for dir in /etc/kubernetes /var/lib/kubelet; do
    [ -z "$(find "$dir" -xdev -type f 2>/dev/null | head -n 1)" ] || echo "$dir"
  done
  for unit in kubelet k3s k3s-agent rke2-server rke2-agent k0scontroller k0sworker; do
    for dir in /etc /usr/local/lib /usr/lib /lib; do
      [ ! -e "$dir/systemd/system/$unit.service" ] || echo "$unit.service"
    done
  done
  for link in cni0 flannel.1 vxlan.calico cilium_host kube-ipvs0; do
    [ ! -e "/sys/class/net/$link" ] || echo "$link"
  done
  echo '@@ processes'
  for file in /proc/[0-9]*/comm; do
    { read -r name <"$file"; } 2>/dev/null || continue
    case $name in
      kubelet | kube-apiserver | kube-controller | kube-scheduler | kube-proxy | k3s-server | k3s-agent | rke2 | k0s) echo "$name" ;;
      containerd | dockerd | crio | isulad) echo "$name" ;;
    esac
  done
}

# PORT…: who holds them.
kxp_ports() {
  echo '@@ ports'
  kxp_listening "$@" | sort -u -k1,1n | kxp_holders
}

# Lines "PORT INODE": "PORT PID NAME" of the process that has the socket open. One look through all processes for all ports.
kxp_holders() {
  local held='' inode='' open='' fd='' port='' pid='' name=''
  held=$(cat)
  set --
  for inode in $(printf '%s\n' "$held" | awk '{ print $2 }'); do set -- "$@" -o -lname "socket:\[$inode\]"; done
  [ "$#" -gt 0 ] || return 0
  shift
  open=$(find /proc/[0-9]*/fd \( "$@" \) 2>/dev/null | while read -r fd; do echo "$(readlink "$fd") $fd"; done)
  printf '%s\n' "$held" | while read -r port inode; do
    fd=$(printf '%s\n' "$open" | grep -F "socket:[$inode] " | head -n 1)
    pid=${fd#*/proc/}
    pid=${pid%%/*} name=''
    [ -z "$pid" ] || { read -r name <"/proc/$pid/comm"; } 2>/dev/null
    echo "$port ${pid:--} $name"
  done
}

# What this machine is called in its own files, and whether name servers answer. Where a node of a cluster is at work, they are not
# asked again.
kxp_names() {
  local name='' word='' server='' rest='' servers=''
  echo '@@ own'
  read -r name </proc/sys/kernel/hostname
  getent -s files hosts "$name" 2>/dev/null
  echo '@@ nameservers'
  servers=$(while read -r word server rest; do
    [ "$word" != nameserver ] || echo "$server"
  done </etc/resolv.conf) 2>/dev/null
  if kxp_is_at_work || ! command -v bash >/dev/null || ! command -v timeout >/dev/null; then
    for server in $servers; do echo "$server unknown"; done
    return
  fi
  for server in $servers; do
    { if kxp_answers "$server"; then echo "$server yes"; else echo "$server no"; fi; } 2>/dev/null &
  done
  wait
}

# SERVER: asks it a question that every one knows an answer to; any answer counts. Bash can send it, nothing else is needed.
kxp_answers() {
  # shellcheck disable=SC2016 # bash expands it
  timeout 3 bash -c 'exec 3<>"/dev/udp/$0/53" &&
printf "\022\064\001\000\000\001\000\000\000\000\000\000\000\000\002\000\001" >&3 && IFS= read -r -n 1 -t 2 -u 3 x' "$1"
}

# NAME: whether it is known here.
kxp_domain() {
  echo '@@ domain'
  ! RES_OPTIONS='timeout:2 attempts:1' timeout 6 getent hosts "$1" >/dev/null || echo known
}

# PORT ADDRESS…: which of the addresses are taken: something answers there, also by refusing. One that nobody has is silent or out of
# reach. Where the cluster is at work already, it has its own addresses.
kxp_taken() {
  local port="$1" address='' said=''
  shift
  echo '@@ taken'
  ! kxp_is_at_work || return 0
  for address; do
    # shellcheck disable=SC2016 # bash expands it
    if said=$(LC_ALL=C timeout 4 bash -c 'exec 3<>"/dev/tcp/$0/$1"' "$address" "$port" 2>&1); then
      echo "$address"
    else
      case $said in *refused*) echo "$address" ;; esac
    fi
  done
}
