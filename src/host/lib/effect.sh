# shellcheck shell=dash
# What others make because of kubexm: looking for it and taking it away. An effect is `TYPE ARGUMENT`; see model/effect.ts.

# EFFECT: what there is of it, one name a line.
kx_effect_look() {
  local arg='' x=''
  arg=${1#* }
  case ${1%% *} in
    path) kx_path_and_inside "$arg" ;;
    paths) for x in "$arg"*; do if [ -e "$x" ] || [ -L "$x" ]; then printf '%s\n' "$x"; fi; done ;;
    directory) kx_directories "$arg" ;;
    mode) [ -L "$arg" ] || [ ! -d "$arg" ] || stat -c '%a %u:%g %n' -- "$arg" ;;
    sysctl) if [ -r "/proc/sys/$arg" ]; then printf '%s %s\n' "$arg" "$(cat "/proc/sys/$arg")"; fi ;;
    units) kx_units "$arg" ;;
    mounts) kx_mounts_below "$arg" ;;
    links) kx_names_in /sys/class/net "$arg" ;;
    ports) kx_names_in "/sys/class/net/${arg%% *}/brif" "${arg#* }" ;;
    address) kx_addresses "$arg" ;;
    routes) kx_routes "$arg" ;;
    namespaces) kx_pod_namespaces "$arg" ;;
    cgroups) for x in /sys/fs/cgroup/"$arg"* /sys/fs/cgroup/*/"$arg"*; do if [ -d "$x" ]; then printf '%s\n' "$x"; fi; done ;;
    nft-tables) kx_nft_tables "${arg%% *}" "${arg#* }" ;;
    shared-table) kx_nft_tables "${arg%% *}" "${arg#* }" | grep -xF -e "$arg" ;;
    iptables-chains) for x in $(kx_iptables); do kx_chains "$x" "$arg"; done ;;
    cni-chains) for x in $(kx_iptables); do kx_cni_chains "$x" "$arg"; done ;;
    ipsets) if command -v ipset >/dev/null; then ipset list -n 2>/dev/null | kx_starting "$arg"; fi ;;
    virtual-servers) kx_virtual_servers ;;
    user) kx_account passwd "$arg" ;;
    group) kx_account group "$arg" ;;
    *)
      echo "no such effect: $1" >&2
      return 1
      ;;
  esac
  return 0
}

# TYPE NAME: takes one away. One that is gone already is fine.
# shellcheck disable=SC2086 # several words
kx_effect_remove() {
  local x=''
  case $1 in
    path) kx_path_remove "$2" ;;
    paths)
      kx_mounts_below "$2" | while IFS= read -r x; do kx_unmount "$x"; done
      kx_path_remove "$2"
      ;;
    directory) [ ! -d "$2" ] || [ -n "$(ls -A -- "$2")" ] || rmdir -- "$2" ;;
    mounts) kx_unmount "$2" ;;
    links | ports) ip link delete dev "$2" || [ ! -e "/sys/class/net/$2" ] ;;
    address) ip "$(kx_ip_family "$2")" address delete $2 || ! kx_addresses "${2%%/*}" | grep -qxF -e "$2" ;;
    routes) ip "$(kx_ip_family "$2")" route delete $2 || ! kx_routes "${2%% *}" | grep -qxF -e "$2" ;;
    namespaces) kx_netns_remove "$2" ;;
    cgroups) kx_cgroup_remove "$2" ;;
    nft-tables | shared-table) nft delete table ${2%% *} "${2#* }" ;;
    iptables-chains | cni-chains)
      set -- $2
      kx_chain_remove "$@"
      ;;
    ipsets) ipset destroy "$2" ;;
    virtual-servers) ipvsadm -D $2 || ! kx_virtual_servers | grep -qxF -e "$2" ;;
    units) systemctl stop -- "$2" && { systemctl reset-failed -- "$2" 2>/dev/null || :; } ;;
    user) if command -v userdel >/dev/null; then userdel -- "$2"; else deluser "$2"; fi ;;
    group) [ -z "$(kx_account group "$2")" ] || if command -v groupdel >/dev/null; then groupdel -- "$2"; else delgroup "$2"; fi ;;
  esac
}

# EFFECT NAME: one that others use, though it was not there before, stays: says so, or nothing.
kx_effect_stays() {
  case ${1%% *} in
    shared-table) kx_table_is_idle "$2" || echo "the table $2 of nft stays: there are rules in it that are not the cluster's" ;;
    cni-chains)
      case $2 in *' CNI-HOSTPORT-'*)
        ! kx_has_host_ports "${2%% *}" || echo "the chain ${2##* } of ${2%% *} stays: containers that are not in pods have ports of the machine"
        ;;
      esac
      ;;
    path | paths)
      if kx_in_overlay "$2"; then
        echo "$2 stays: containers that are not in pods use it"
      elif [ "${1%% *}" = path ] && [ -n "$(kx_mounts_below "$2")" ]; then
        echo "$2 stays: what is mounted there is not the cluster's"
      fi
      ;;
    virtual-servers) kx_serves_on "${1#* }" "$2" || echo "the virtual server $2 stays: it is not kube-proxy's" ;;
  esac
}

# PATH: removes it and all below, but for what kubexm has kept there of somebody else's, and the way to it.
kx_path_remove() {
  local x=''
  case $1 in *.kubexm-kept*) return 0 ;; esac
  if [ -d "$1" ] && [ ! -L "$1" ]; then
    kx_may_go "$1" || return
    x=$(find "$1" -name '*.kubexm-kept*') || {
      echo "cannot look through $1" >&2
      return 1
    }
    if [ -n "$x" ]; then
      # By find itself: the owner of the directory could replace a path by a link before another program removes it.
      find "$1" -depth ! -path '*.kubexm-kept*' -delete 2>/dev/null
      [ -z "$(find "$1" ! -type d ! -path '*.kubexm-kept*')" ] || {
        echo "cannot remove all of $1" >&2
        return 1
      }
      return
    fi
  fi
  rm -rf -- "$1"
}

# TYPE WAS: puts a value back that others have changed. WAS is what kx_effect_look printed before.
kx_effect_restore() {
  local x=''
  case $1 in
    mode)
      x=${2#* }
      chmod -- "${2%% *}" "${x#* }" && chown -- "${x%% *}" "${x#* }"
      ;;
    sysctl) if [ -w "/proc/sys/${2%% *}" ]; then printf '%s\n' "${2#* }" >"/proc/sys/${2%% *}"; fi ;;
  esac
}

# PATH: itself and, if it is a directory, what is right in it.
kx_path_and_inside() {
  [ -e "$1" ] || [ -L "$1" ] || return 0
  printf '%s\n' "$1"
  [ -L "$1" ] || [ ! -d "$1" ] || find "$1" -mindepth 1 -maxdepth 1
}

# PATH: itself and the directories above it, the deepest first.
kx_directories() {
  local x=''
  x=${1%/}
  while [ -n "$x" ]; do
    [ ! -d "$x" ] || printf '%s\n' "$x"
    x=${x%/*}
  done
}

# PREFIX: units, loaded as they are.
kx_units() {
  local x='' y=''
  command -v systemctl >/dev/null || return 0
  systemctl list-units --all --plain --no-legend --no-pager -- "$1*" 2>/dev/null | while read -r x y; do printf '%s\n' "$x"; done
}

# DIR PREFIX: names in a directory.
kx_names_in() {
  local x=''
  for x in "$1/$2"*; do if [ -e "$x" ] || [ -L "$x" ]; then printf '%s\n' "${x##*/}"; fi; done
}

# PREFIX: of the lines of stdin those that start so.
kx_starting() {
  local x=''
  while IFS= read -r x; do case $x in "$1"*) printf '%s\n' "$x" ;; esac done
}

# ADDRESS: the flag of ip for its family.
kx_ip_family() { case $1 in *:*) echo -6 ;; *) echo -4 ;; esac }

# ADDRESS: where it is, as the words that delete it.
kx_addresses() {
  command -v ip >/dev/null || return 0
  ip -o "$(kx_ip_family "$1")" address show to "$1" 2>/dev/null | awk '{ print $4 " dev " $2 }'
}

# NETWORK: routes to it and to parts of it, each as the words that delete it.
kx_routes() {
  local x='' y=''
  command -v ip >/dev/null || return 0
  ip "$(kx_ip_family "$1")" route show root "$1" 2>/dev/null | while read -r x y; do
    # The other ways of a route that has several go with it; what leads nowhere is no network's.
    case $x in nexthop | blackhole | unreachable | prohibit | throw) continue ;; esac
    # shellcheck disable=SC2086 # several words
    set -- $y
    while [ "$#" -gt 1 ]; do
      case $1 in via | dev | metric) x="$x $1 $2" ;; esac
      shift
    done
    printf '%s\n' "$x"
  done
}

# PATH: mount points at or below it, the deepest first.
kx_mounts_below() {
  local found='' below='' x='' y=''
  found='' below=${1%/}/
  while read -r x x x x y x; do
    case $y in *\\*) y=$(printf '%b.' "$(printf %s "$y" | sed 's/\\\([0-3]\)/\\0\1/g')") y=${y%.} ;; esac
    case $y in "$1" | "$below"*)
      found="$y
$found"
      ;;
    esac
  done </proc/self/mountinfo
  printf %s "$found"
}

# PATH: unmounts it; it may be gone already.
kx_unmount() { umount -- "$1" 2>/dev/null || umount -l -- "$1" || ! kx_is_mount "$1"; }

# PATH: whether it is a mount point.
kx_is_mount() { kx_mounts_below "$1" | grep -qxF -e "$1"; }

# DIR: whether a directory may be removed with all that is in it: none of the system's, by device and inode, never by
# name, and with nothing mounted on or below it.
kx_may_go() {
  local own_inode='' system='' real=''
  own_inode=$(stat -L -c %d:%i -- "$1") && [ -n "$own_inode" ] || return
  system=$(stat -L -c %d:%i -- / /bin /boot /dev /etc /home /lib /lib32 /lib64 /media /mnt /opt /proc /root /run /sbin \
    /srv /sys /tmp /usr /usr/bin /usr/lib /usr/lib64 /usr/libexec /usr/local /usr/local/bin /usr/local/lib /usr/local/sbin \
    /usr/sbin /usr/share /var /var/cache /var/lib /var/log /var/spool /var/tmp /etc/systemd /etc/systemd/system \
    /usr/lib/systemd /usr/lib/systemd/system /lib/modules /var/lib/dpkg /var/lib/rpm 2>/dev/null)
  [ -n "$system" ] || return
  case "
$system
" in *"
$own_inode
"*)
    echo "$1 is a directory of the system: it is never removed" >&2
    return 1
    ;;
  esac
  real=$(cd -P -- "$1" && pwd -P) || return
  [ -z "$(kx_mounts_below "$real")" ] || {
    echo "something is mounted on or below $1" >&2
    return 1
  }
}

# PATH: whether something in it is part of an overlay that is mounted, as the root of a container.
kx_in_overlay() { grep -qF -e "=$1/" -e ":$1/" /proc/self/mountinfo; }

# NETWORK: namespaces of its pods: what it noted of them, and those of the namespace k8s.io of containerd, name theirs.
kx_pod_namespaces() {
  local x=''
  {
    find /var/lib/cni/results -maxdepth 1 -name "$1-*" -exec grep -oh '/netns/cni-[0-9A-Za-z-]*' {} +
    find /run/containerd/io.containerd.runtime.v2.task/k8s.io -maxdepth 2 -name config.json \
      -exec grep -oh '/netns/cni-[0-9A-Za-z-]*' {} +
  } 2>/dev/null | sort -u | while IFS= read -r x; do
    if [ -e "/run/netns/${x##*/}" ]; then printf '%s\n' "${x##*/}"; fi
  done
}

# NAME: removes a network namespace.
kx_netns_remove() {
  if command -v ip >/dev/null && ip netns delete "$1" 2>/dev/null; then return 0; fi
  umount -l "/run/netns/$1" 2>/dev/null
  rm -f "/run/netns/$1"
}

# DIR: kills what runs in a control group, and removes it.
kx_cgroup_remove() {
  local tries='' x=''
  [ -d "$1" ] || return 0
  tries=0
  while [ "$tries" -lt 20 ]; do
    if [ -e "$1/cgroup.kill" ]; then echo 1 >"$1/cgroup.kill" 2>/dev/null; fi
    find "$1" -name cgroup.procs -exec cat {} + 2>/dev/null | while read -r x; do kill -KILL "$x" 2>/dev/null; done
    find "$1" -depth -type d -exec rmdir {} + 2>/dev/null
    [ -d "$1" ] || return 0
    tries=$((tries + 1))
    sleep 0.1 2>/dev/null || sleep 1
  done
  echo "cannot remove the control group $1" >&2
  return 1
}

# FAMILY PREFIX
kx_nft_tables() {
  local x='' y=''
  command -v nft >/dev/null || return 0
  nft list tables "$1" 2>/dev/null | while read -r x y x; do
    case $x in "$2"*) printf '%s %s\n' "$y" "$x" ;; esac
  done
}

# "FAMILY NAME": whether nothing is in a table but chains of hooks, without rules, that let everything through.
kx_table_is_idle() {
  # shellcheck disable=SC2086 # several words
  nft list table ${1%% *} "${1#* }" 2>/dev/null | awk '
    /^#/ || NF == 0 || $1 == "table" { next }
    $1 == "chain" && NF == 3 { chain = 1; hook = 0; next }
    $1 == "type" && $3 == "hook" && / policy accept;$/ { hook = 1; next }
    $1 == "}" && NF == 1 { if (chain && !hook) used = 1; chain = 0; next }
    { used = 1 }
    END { exit used || !NR }'
}

# Virtual servers of IPVS, each as the words that delete it. The program would load the module where there is none.
kx_virtual_servers() {
  local x='' y='' z=''
  [ -d /sys/module/ip_vs ] && command -v ipvsadm >/dev/null || return 0
  ipvsadm -S -n 2>/dev/null | while read -r x y z; do
    case "$x $y" in '-A -t' | '-A -u' | '-A --sctp-service') printf '%s %s\n' "$y" "${z%% *}" ;; esac
  done
}

# LINK "KIND ADDRESS:PORT": whether it is at a node port, or has an address of the link.
kx_serves_on() {
  local x='' y=''
  x=${2#* } y=${2##*:}
  x=${x%:*} x=${x#'['} x=${x%']'}
  if [ "$y" -ge 30000 ] && [ "$y" -le 32767 ]; then return 0; fi
  case "$(ip -o address show dev "$1" 2>/dev/null)" in *" $x/"*) ;; *) return 1 ;; esac
}

# The programs that know chains here. Both kinds may be in use.
kx_iptables() {
  local y=''
  for y in iptables ip6tables; do
    if command -v "$y-nft-save" >/dev/null && command -v "$y-legacy-save" >/dev/null; then
      echo "$y-nft $y-legacy"
    elif command -v "$y-save" >/dev/null; then
      echo "$y"
    fi
  done
}

# PROGRAM PREFIX: "PROGRAM TABLE CHAIN"
kx_chains() {
  local table='' y='' z=''
  table=
  "$1-save" 2>/dev/null | while read -r y z; do
    case $y in
      '*'*) table=${y#?} ;;
      ":$2"*) printf '%s %s %s\n' "$1" "$table" "${y#:}" ;;
    esac
  done
}

# PROGRAM NETWORK: "PROGRAM TABLE CHAIN" of those that a rule with the name of the network leads to; last those that all share.
kx_cni_chains() {
  "$1-save" 2>/dev/null | awk -v program="$1" -v network="$2" '
    /^\*/ { table = substr($0, 2) }
    /^:CNI-HOSTPORT-/ { shared[++n] = program " " table " " substr($1, 2) }
    index($0, "name: \\\"" network "\\\" id: ") {
      for (i = 1; i < NF; i++) {
        name = program " " table " " $(i + 1)
        if ($i == "-j" && $(i + 1) ~ /^CNI-/ && $(i + 1) !~ /^CNI-HOSTPORT-/ && !(name in seen)) { seen[name] = 1; print name }
      }
    }
    END { for (i = 1; i <= n; i++) print shared[i] }'
}

# PROGRAM: whether a container still has a port of the machine.
kx_has_host_ports() { "$1-save" -t nat 2>/dev/null | grep -q '^-A CNI-HOSTPORT-DNAT '; }

# PROGRAM TABLE CHAIN: removes it, and the rules that lead to it. Saved rules are quoted as the restoring program reads them.
kx_chain_remove() {
  local y=''
  {
    printf '*%s\n' "$2"
    "$1-save" -t "$2" 2>/dev/null | while IFS= read -r y; do
      case "$y " in "-A $3 "*) ;; -A*" -j $3 "* | -A*" -g $3 "*) printf -- '-D%s\n' "${y#-A}" ;; esac
    done
    printf -- '-F %s\n-X %s\nCOMMIT\n' "$3" "$3"
  } | "$1-restore" --noflush
}

# passwd|group NAME: its name, if there is such an account.
kx_account() {
  local y='' z=''
  while IFS=: read -r y z; do if [ "$y" = "$2" ]; then printf '%s\n' "$2"; fi; done <"/etc/$1"
}
