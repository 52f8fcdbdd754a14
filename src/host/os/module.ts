import { lines, rawScript, type Script, sh } from '../../model/script.ts';
import { posix } from '../lib/text.ts';

/**
 * Where a module stands. `built-in`: a part of the kernel. `loadable`: there, not loaded. `disabled`: an install line of
 * modprobe.d keeps it from being loaded. `missing`: this kernel has no such module.
 */
export type ModuleState = 'loaded' | 'built-in' | 'loadable' | 'disabled' | 'missing';

/** A module, and what would have to be loaded for it: what it needs first, itself last. */
export interface SeenModule {
  readonly name: string;
  readonly state: ModuleState;
  readonly fresh: readonly string[];
}

/** What a part of the kernel shows of itself where neither /sys/module nor a list of modules names it. */
const TRACES: readonly (readonly [string, string])[] = [
  ['br_netfilter', '/proc/sys/net/bridge/bridge-nf-call-iptables'],
  ['nf_conntrack', '/proc/sys/net/netfilter/nf_conntrack_max'],
  ['ip_vs', '/proc/net/ip_vs'],
  ['ip_tables', '/proc/net/ip_tables_names'],
  ['ip6_tables', '/proc/net/ip6_tables_names'],
  ['tun', '/sys/class/misc/tun'],
  ['fuse', '/sys/fs/fuse'],
  ['ipv6', '/proc/sys/net/ipv6'],
];

/** kxo_trace NAME: whether the kernel itself shows that it has this, as a file system or by a file of its own. */
const TRACE = lines(
  sh`kxo_trace() {`,
  sh`case $1 in`,
  ...TRACES.map(([name, path]) => sh`${name}) [ -e ${path} ] && return ;;`),
  sh`esac`,
  rawScript(posix`
  while read -r kxo_a kxo_b; do
    [ "\${kxo_b:-$kxo_a}" != "$1" ] || return 0
  done </proc/filesystems
  return 1
}`),
);

/**
 * kxo_module NAME: sets kxo_state, and kxo_fresh to what would be loaded. `modprobe -D` says what would be done, and
 * busybox has it too. /sys/module has what is built in only if it has parameters.
 */
const LOOK = rawScript(posix`
kxo_plain() {
  kxo_m=$1
  while :; do case $kxo_m in *-*) kxo_m=\${kxo_m%%-*}_\${kxo_m#*-} ;; *) break ;; esac; done
}
kxo_module() {
  kxo_fresh=
  kxo_plain "$1"
  if [ -e "/sys/module/$kxo_m/initstate" ]; then kxo_state=loaded; return; fi
  if [ -d "/sys/module/$kxo_m" ] || kxo_trace "$kxo_m"; then kxo_state=built-in; return; fi
  kxo_state=missing
  kxo_plan=$(modprobe -D "$1" 2>/dev/null) || return 0
  kxo_state=built-in
  while read -r kxo_how kxo_what kxo_a; do
    case $kxo_how:$kxo_what in
      insmod:*)
        kxo_state=loadable kxo_m=\${kxo_what##*/}
        kxo_plain "\${kxo_m%%.ko*}"
        [ -d "/sys/module/$kxo_m" ] || kxo_fresh="$kxo_fresh $kxo_m" ;;
      install:true | install:false | install:*/true | install:*/false | install::) kxo_state=disabled ;;
      install:*) kxo_state=loadable ;;
    esac
  done <<KXO_END
$kxo_plan
KXO_END
}`);

/** kxo_load NAME: loads a module, or ends the script and says what it means that it cannot be. */
const LOAD = rawScript(posix`
kxo_load() {
  kxo_why=$(modprobe -- "$1" 2>&1) && return
  kxo_r=$(uname -r)
  if ! command -v modprobe >/dev/null; then
    echo "kernel module $1 cannot be loaded: there is no modprobe; install the package kmod" >&2
  elif [ "$kxo_state" = disabled ]; then
    echo "kernel module $1 is disabled by an install line in /etc/modprobe.d: take that line out" >&2
  elif [ ! -d "/lib/modules/$kxo_r" ]; then
    echo "kernel module $1 cannot be loaded: the modules of the running kernel $kxo_r are not on this machine; restart it if a newer kernel was installed, else install the kernel's modules" >&2
  elif [ "$kxo_state" = missing ]; then
    echo "kernel $kxo_r has no module $1: install its further modules (linux-modules-extra-$kxo_r, kernel-modules-extra, kernel-default) or another kernel" >&2
  else
    printf 'kernel module %s cannot be loaded: %s\n' "$1" "$kxo_why" >&2
  fi
  exit 1
}`);

/** A read-only script that tells about modules. */
export function lookAtModules(names: readonly string[]): Script {
  return lines(
    TRACE,
    LOOK,
    sh`for kxo_name in ${names}; do
  kxo_module "$kxo_name"
  printf 'module %s %s%s\\n' "$kxo_name" "$kxo_state" "$kxo_fresh"
done`,
  );
}

/** What a probe said about modules, in its order. */
export function seenModules(answer: string): readonly SeenModule[] {
  return answer.split('\n').flatMap((line) => {
    const [word, name, state, ...fresh] = line.split(' ');
    return word === 'module' && name !== undefined && isState(state) ? [{ name, state, fresh }] : [];
  });
}

/**
 * Loads what is not loaded. Of the optional ones those that this kernel does not have are left out. Afterwards `$present`
 * has the names of all that are there.
 */
export function loadModules(required: readonly string[], optional: readonly string[]): Script {
  return lines(
    TRACE,
    LOOK,
    LOAD,
    sh`present=
for name in ${required}; do
  kxo_module "$name"
  case $kxo_state in loaded | built-in) ;; *) kxo_load "$name" ;; esac
  present="$present $name"
done
for name in ${optional}; do
  kxo_module "$name"
  case $kxo_state in missing | disabled) continue ;; loadable) kxo_load "$name" ;; esac
  present="$present $name"
done`,
  );
}

/** Unloads modules, the last one first. One that is in use by now stays, and a line on stderr says so. */
export function unloadModules(fresh: readonly string[]): Script {
  return lines(
    ...fresh.toReversed().map(
      (name) => sh`if [ -e ${`/sys/module/${name}/initstate`} ]; then
  why=$(rmmod ${name} 2>&1) || printf 'kernel module %s stays loaded: %s\\n' ${name} "$why" >&2
fi`,
    ),
  );
}

function isState(state: string | undefined): state is ModuleState {
  return state !== undefined && ['loaded', 'built-in', 'loadable', 'disabled', 'missing'].includes(state);
}
