import { posix } from '../../host/lib/text.ts';
import { lines, rawScript, type Script, sh } from '../../model/script.ts';
import { type Finding, finding } from './finding.ts';
import { LISTENING, type Target } from './ports.ts';

/** Whom a host has not tried by then it does not try. */
const TRY_SECONDS = 100;
const AT_ONCE = 64;

/** How long a listener that nobody stops lives: until the last of so many hosts has had its turn. */
export function listenSeconds(hosts: number): number {
  return 60 + Math.ceil(hosts / 5);
}

/**
 * Listens on those of the ports that nobody listens on, in the background. Nothing is ever answered: that the connection is
 * made is all that is asked. Every systemd brings a program that listens.
 */
export function listenScript(ports: readonly number[], seconds: number): Script {
  return lines(
    LISTENING,
    sh`kxp_ports=${ports.join(' ')} kxp_seconds=${seconds}`,
    rawScript(posix`
kxp_busy=" $(kxp_listening $kxp_ports | while read -r kxp_port kxp_x; do printf '%s ' "$kxp_port"; done)"
kxp_free=
for kxp_port in $kxp_ports; do
  case $kxp_busy in *" $kxp_port "*) ;; *) kxp_free="$kxp_free $kxp_port" ;; esac
done
if [ -z "$kxp_free" ]; then echo listening; exit 0; fi
if ! command -v timeout >/dev/null || ! command -v setsid >/dev/null; then echo none; exit 0; fi
set --
if command -v systemd-socket-activate >/dev/null; then
  for kxp_port in $kxp_free; do set -- "$@" -l "$kxp_port"; done
  set -- systemd-socket-activate "$@" sleep "$kxp_seconds"
elif command -v python3 >/dev/null; then
  set -- python3 -c 'import socket, sys, time
held = []
for port in sys.argv[2:]:
    family = socket.AF_INET6 if socket.has_dualstack_ipv6() else socket.AF_INET
    held.append(socket.create_server(("", int(port)), family=family, dualstack_ipv6=family == socket.AF_INET6))
time.sleep(int(sys.argv[1]))' "$kxp_seconds" $kxp_free
else
  echo none
  exit 0
fi
mkdir -p "$KX_RUN" || exit
setsid timeout "$kxp_seconds" "$@" </dev/null >/dev/null 2>&1 &
echo "$!" >"$KX_RUN/preflight.pid"
for kxp_try in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do
  kxp_left=0
  for kxp_port in $kxp_free; do [ -n "$(kxp_listening "$kxp_port")" ] || kxp_left=1; done
  if [ "$kxp_left" = 0 ]; then echo listening; exit 0; fi
  sleep 0.1
done
echo none`),
  );
}

/** Tries to connect to others, many at once. Says `done`, and whom it did not reach. */
export function reachScript(targets: readonly Target[]): Script {
  return lines(
    sh`kxp_seconds=${TRY_SECONDS} kxp_most=${AT_ONCE}`,
    rawScript(posix`
if ! command -v bash >/dev/null || ! command -v timeout >/dev/null; then echo none; exit 0; fi
kxp_count=0
kxp_end=$(($(date +%s) + kxp_seconds))
kxp_try() {
  [ "$(date +%s)" -lt "$kxp_end" ] || return 0
  timeout 3 bash -c 'exec 3<>"/dev/tcp/$0/$1"' "$2" "$3" 2>/dev/null || echo "no $1 $3"
}
kxp_next() {
  kxp_try "$@" &
  kxp_count=$((kxp_count + 1))
  if [ "$kxp_count" = "$kxp_most" ]; then kxp_count=0; wait; fi
}`),
    ...targets.map(({ host, address, port }) => sh`kxp_next ${host} ${address} ${port}`),
    rawScript('wait\necho done'),
  );
}

/** Ends the listener. */
export const STOP_SCRIPT = rawScript(posix`
if { read -r kxp_pid <"$KX_RUN/preflight.pid"; } 2>/dev/null; then
  kill "$kxp_pid" 2>/dev/null
  rm -f "$KX_RUN/preflight.pid"
fi
:`);

/** What hosts said, by name. */
type Said = Readonly<Record<string, { readonly stdout: string }>>;

/** Who cannot reach whom. A firewall that kubexm will switch off is no reason to stop. */
export function reachFindings(listened: Said, reached: Said, firewalled: readonly string[]): readonly Finding[] {
  const listens = (host: string) => listened[host]?.stdout.trim() === 'listening';
  const failed = Object.entries(reached).flatMap(([source, { stdout }]) =>
    stdout.split('\n').flatMap((line) => {
      const [no, target = '', port = ''] = line.split(' ');
      return no === 'no' && listens(target) ? [{ source, target, port: Number(port) }] : [];
    }),
  );
  const blind = [...new Set([...Object.keys(listened), ...Object.keys(reached)])].filter(
    (host) => !listens(host) || reached[host]?.stdout.trim() === 'none',
  );
  const severity = ({ target }: { readonly target: string }) => (firewalled.includes(target) ? 'warning' : 'error');
  const ports = [...Map.groupBy(failed, ({ port }) => port).values()];
  return [
    ...ports.flatMap((some) => {
      const count = (end: 'source' | 'target') => new Set(some.map((one) => one[end])).size;
      // In the direction that needs fewer lines.
      return count('target') <= count('source')
        ? some.map((one) => finding('KX4540', severity(one), one.source, { target: one.target, port: one.port }))
        : some.map((one) => finding('KX4541', severity(one), one.target, { source: one.source, port: one.port }));
    }),
    ...(blind.length === 0 ? [] : [finding('KX4542', 'info', blind, {})]),
  ];
}
