import { posix } from '../../host/lib/text.ts';
import { lookAtModules } from '../../host/os/module.ts';
import { lines, rawScript, type Script, sh } from '../../model/script.ts';
import { LISTENING } from './ports.ts';

/** What is looked for on a machine. */
export interface LookedFor {
  readonly ports: readonly number[];
  readonly modules: readonly string[];
  /** Where etcd's data will be. */
  readonly etcdDir?: string;
  /** A name that has to be known here. */
  readonly domain?: string;
  /** Addresses that nobody may have yet, and a port to try them at. */
  readonly free?: { readonly addresses: readonly string[]; readonly port: number };
}

/** An address is taken where something answers, also by refusing. One that nobody has is silent or out of reach. */
const TRY = posix`exec 3<>"/dev/tcp/$0/$1"`;

const taken = (address: string, port: number): Script =>
  sh`kxp_said=$(LC_ALL=C timeout 4 bash -c ${TRY} ${address} ${port} 2>&1) && echo ${address} || case $kxp_said in *refused*) echo ${address} ;; esac`;

/** A nameserver gets a question that every one knows an answer to; any answer counts. Bash can send it, nothing else is needed. */
const ASK = posix`exec 3<>"/dev/udp/$0/53" && printf "\022\064\001\000\000\001\000\000\000\000\000\000\000\000\002\000\001" >&3 &&
  IFS= read -r -n 1 -t 2 -u 3 x`;

/** Where a node of a cluster is at work, whether names are answered is not asked again. */
const OWNER = rawScript(posix`echo '@@ owner'
kx_manifest_owner
kxp_works=
[ ! -e /etc/kubernetes/kubelet.conf ] || kxp_works=$(kx_manifest_owner)
echo '@@ uuid'
cat /sys/class/dmi/id/product_uuid 2>/dev/null`);

const LEFT = rawScript(posix`for kxp_dir in /etc/kubernetes /var/lib/kubelet; do
  [ -z "$(find "$kxp_dir" -xdev -type f 2>/dev/null | head -n 1)" ] || echo "$kxp_dir"
done
for kxp_unit in kubelet k3s k3s-agent rke2-server rke2-agent k0scontroller k0sworker; do
  for kxp_dir in /etc /usr/local/lib /usr/lib /lib; do
    [ ! -e "$kxp_dir/systemd/system/$kxp_unit.service" ] || echo "$kxp_unit.service"
  done
done
for kxp_link in cni0 flannel.1 vxlan.calico cilium_host kube-ipvs0; do
  [ ! -e "/sys/class/net/$kxp_link" ] || echo "$kxp_link"
done
echo '@@ processes'
for kxp_file in /proc/[0-9]*/comm; do
  { read -r kxp_name <"$kxp_file"; } 2>/dev/null || continue
  case $kxp_name in
    kubelet | kube-apiserver | kube-controller | kube-scheduler | kube-proxy | k3s-server | k3s-agent | rke2 | k0s) echo "$kxp_name" ;;
    containerd | dockerd | crio | isulad) echo "$kxp_name" ;;
  esac
done`);

/** Who holds a port: the process that has its socket open. One look through all processes for all ports. */
const HOLDERS = rawScript(posix`{
kxp_held=$(cat)
set --
for kxp_inode in $(printf '%s\n' "$kxp_held" | awk '{ print $2 }'); do set -- "$@" -o -lname "socket:\[$kxp_inode\]"; done
if [ "$#" -gt 0 ]; then
  shift
  kxp_open=$(find /proc/[0-9]*/fd \( "$@" \) 2>/dev/null | while read -r kxp_fd; do echo "$(readlink "$kxp_fd") $kxp_fd"; done)
  printf '%s\n' "$kxp_held" | while read -r kxp_port kxp_inode; do
    kxp_fd=$(printf '%s\n' "$kxp_open" | grep -F "socket:[$kxp_inode] " | head -n 1)
    kxp_pid=\${kxp_fd#*/proc/}
    kxp_pid=\${kxp_pid%%/*} kxp_name=
    [ -z "$kxp_pid" ] || { read -r kxp_name <"/proc/$kxp_pid/comm"; } 2>/dev/null
    echo "$kxp_port \${kxp_pid:--} $kxp_name"
  done
fi
}`);

const NAMES = lines(
  rawScript(posix`echo '@@ own'
read -r kxp_name </proc/sys/kernel/hostname
getent -s files hosts "$kxp_name" 2>/dev/null
echo '@@ nameservers'
kxp_servers=$(while read -r kxp_word kxp_server kxp_x; do
  [ "$kxp_word" != nameserver ] || echo "$kxp_server"
done </etc/resolv.conf) 2>/dev/null
for kxp_server in $kxp_servers; do
  if [ -n "$kxp_works" ] || ! command -v bash >/dev/null || ! command -v timeout >/dev/null; then echo "$kxp_server unknown"; continue; fi`),
  sh`  { if timeout 3 bash -c ${ASK} "$kxp_server"; then echo "$kxp_server yes"; else echo "$kxp_server no"; fi; } 2>/dev/null &`,
  rawScript('done\nwait'),
);

/** A read-only script that looks at everything facts do not have, in sections as `splitFacts` reads them. */
export function lookScript(want: LookedFor): Script {
  return lines(
    OWNER,
    sh`echo '@@ modules'`,
    lookAtModules(want.modules),
    sh`echo '@@ left'`,
    ...(want.etcdDir === undefined
      ? []
      : [sh`[ ! -e ${`${want.etcdDir.replace(/\/+$/, '')}/member`} ] || echo ${want.etcdDir}`]),
    LEFT,
    LISTENING,
    sh`echo '@@ ports'\nkxp_listening ${want.ports} | sort -u -k1,1n | ${HOLDERS}`,
    NAMES,
    ...(want.domain === undefined
      ? []
      : [
          sh`echo '@@ domain'\nRES_OPTIONS='timeout:2 attempts:1' timeout 6 getent hosts ${want.domain} >/dev/null && echo known`,
        ]),
    ...(want.free === undefined ? [] : freeScript(want.free)),
    sh`:`,
  );
}

/** Where the cluster is at work already, it has its own addresses. */
function freeScript({ addresses, port }: NonNullable<LookedFor['free']>): readonly Script[] {
  return [
    sh`echo '@@ taken'\nif [ -z "$kxp_works" ]; then`,
    ...addresses.map((address) => taken(address, port)),
    sh`fi`,
  ];
}
