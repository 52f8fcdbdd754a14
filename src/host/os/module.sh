# shellcheck shell=dash
# Kernel modules. What is a part of the kernel itself shows in /sys/module only if it has parameters.

# NAME: whether the kernel itself shows that it has this, by a file of its own or as a file system.
kxo_trace() {
  local type='' name=''
  case $1 in
    br_netfilter) [ -e /proc/sys/net/bridge/bridge-nf-call-iptables ] && return ;;
    nf_conntrack) [ -e /proc/sys/net/netfilter/nf_conntrack_max ] && return ;;
    ip_vs) [ -e /proc/net/ip_vs ] && return ;;
    ip_tables) [ -e /proc/net/ip_tables_names ] && return ;;
    ip6_tables) [ -e /proc/net/ip6_tables_names ] && return ;;
    tun) [ -e /sys/class/misc/tun ] && return ;;
    fuse) [ -e /sys/fs/fuse ] && return ;;
    ipv6) [ -e /proc/sys/net/ipv6 ] && return ;;
  esac
  while read -r type name; do
    [ "${name:-$type}" != "$1" ] || return 0
  done </proc/filesystems
  return 1
}

# NAME: as /sys/module has it, with _ for -, in kxo_plain.
kxo_plain() {
  kxo_plain=$1
  while :; do
    case $kxo_plain in
      *-*) kxo_plain=${kxo_plain%%-*}_${kxo_plain#*-} ;;
      *) break ;;
    esac
  done
}

# NAME: sets kxo_state (loaded, built-in, loadable, disabled or missing), and kxo_fresh to what would be loaded.
# `modprobe -D` says what would be done, and busybox has it too.
kxo_module() {
  local plan='' how='' what='' rest=''
  kxo_fresh=''
  kxo_plain "$1"
  if [ -e "/sys/module/$kxo_plain/initstate" ]; then
    kxo_state=loaded
    return
  fi
  if [ -d "/sys/module/$kxo_plain" ] || kxo_trace "$kxo_plain"; then
    kxo_state=built-in
    return
  fi
  kxo_state=missing
  plan=$(modprobe -D "$1" 2>/dev/null) || return 0
  kxo_state=built-in
  while read -r how what rest; do
    case $how:$what in
      insmod:*)
        kxo_state=loadable what=${what##*/}
        kxo_plain "${what%%.ko*}"
        [ -d "/sys/module/$kxo_plain" ] || kxo_fresh="$kxo_fresh $kxo_plain"
        ;;
      install:true | install:false | install:*/true | install:*/false | install::) kxo_state=disabled ;;
      install:*) kxo_state=loadable ;;
    esac
  done <<KXO_END
$plan
KXO_END
}

# NAME…: what `seenModules` reads.
kxo_modules() {
  local name=''
  for name; do
    kxo_module "$name"
    printf 'module %s %s%s\n' "$name" "$kxo_state" "$kxo_fresh"
  done
}

# NAME STATE: loads a module, or ends the script and says what it means that it cannot be.
kxo_load() {
  local why='' release=''
  why=$(modprobe -- "$1" 2>&1) && return
  release=$(uname -r)
  if ! command -v modprobe >/dev/null; then
    echo "kernel module $1 cannot be loaded: there is no modprobe; install the package kmod" >&2
  elif [ "$2" = disabled ]; then
    echo "kernel module $1 is disabled by an install line in /etc/modprobe.d: take that line out" >&2
  elif [ ! -d "/lib/modules/$release" ]; then
    echo "kernel module $1 cannot be loaded: the modules of the running kernel $release are not on this machine; restart it if a newer kernel was installed, else install the kernel's modules" >&2
  elif [ "$2" = missing ]; then
    echo "kernel $release has no module $1: install its further modules (linux-modules-extra-$release, kernel-modules-extra, kernel-default) or another kernel" >&2
  else
    printf 'kernel module %s cannot be loaded: %s\n' "$1" "$why" >&2
  fi
  exit 1
}

# required|optional NAME…: loads what is not loaded, and adds the names of those that are there to kxo_present. Optional ones
# that this kernel does not have are left out.
kxo_load_all() {
  local how="$1" name=''
  shift
  for name; do
    kxo_module "$name"
    case $how:$kxo_state in
      *:loaded | *:built-in) ;;
      optional:missing | optional:disabled) continue ;;
      *) kxo_load "$name" "$kxo_state" ;;
    esac
    kxo_present="$kxo_present $name"
  done
}

# NAME: unloads a module. One that is in use by now is left, and that is reported.
kxo_unload() {
  local why=''
  [ -e "/sys/module/$1/initstate" ] || return 0
  why=$(rmmod "$1" 2>&1) || kx_report left "kernel module $1 stays loaded: $why"
}
