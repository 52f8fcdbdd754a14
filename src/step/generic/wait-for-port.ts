import { lines, rawScript, type Script, sh } from '../../model/script.ts';
import { defineStep, needed, satisfied } from '../../plan/step.ts';
import { invalid } from './lib/path.ts';
import { lookOnce, pollScript, type Waiting, waitTraits } from './lib/poll.ts';

/** A TCP port that has to open, or to close. */
export interface WaitForPort extends Waiting {
  readonly port: number;
  /** Name or address, as the host sees it. Default: 127.0.0.1 */
  readonly address?: string;
  /** Wait until nobody listens any more. */
  readonly closed?: boolean;
}

/** kxg_open ADDRESS PORT: 0 open, 1 not, 90 nothing to look with. Every way gives up after three seconds. */
const OPEN = rawScript(`kxg_open() {
  if command -v nc >/dev/null && nc -h 2>&1 | grep -q -e '-z'; then
    nc -z -w 3 "$1" "$2" </dev/null
  elif command -v bash >/dev/null && command -v timeout >/dev/null; then
    timeout 3 bash -c 'exec 3<>"/dev/tcp/$0/$1"' "$1" "$2"
  elif command -v python3 >/dev/null; then
    python3 -c 'import socket, sys; socket.create_connection((sys.argv[1], int(sys.argv[2])), 3)' "$1" "$2"
  elif command -v perl >/dev/null && perl -MIO::Socket::IP -e 1; then
    perl -MIO::Socket::IP -e 'IO::Socket::IP->new(PeerHost => $ARGV[0], PeerPort => $ARGV[1], Timeout => 3) or exit 1' "$1" "$2"
  elif command -v curl >/dev/null; then
    case "$1" in *:*) kxg_a="[$1]" ;; *) kxg_a="$1" ;; esac
    kxg_t=$(curl -g -s -o /dev/null --noproxy '*' --connect-timeout 3 -m 3 -w '%{time_connect}' --url "http://$kxg_a:$2/" </dev/null)
    case "$kxg_t" in *[1-9]*) return 0 ;; *) return 1 ;; esac
  elif kxg_local "$1" && [ -r /proc/net/tcp ]; then
    cat /proc/net/tcp /proc/net/tcp6 | grep -qi "^ *[0-9]*: [0-9A-F]*:$(printf %04X "$2") [0-9A-F]*:[0-9A-F]* 0A "
  else
    return 90
  fi 2>/dev/null
}
kxg_local() { case "$1" in 127.* | localhost | ::1) return 0 ;; *) return 1 ;; esac; }`);

function attempt(want: WaitForPort): Script {
  const { port } = want;
  if (!Number.isInteger(port) || port < 1 || port > 65535) throw invalid(`${port} is no port`);
  const wanted = want.closed === true ? 1 : 0;
  const why = want.closed === true ? 'somebody still listens' : 'nobody answers';
  return lines(
    OPEN,
    sh`kxg_try() {
  kxg_open ${address(want)} ${port}; kxg_o=$?
  if [ "$kxg_o" -eq 90 ]; then kxg_why='nothing to try a port with: install one of nc, bash, python3, perl, curl'; return 90; fi
  if [ "$kxg_o" -ne 0 ]; then kxg_o=1; fi
  kxg_why=${why}
  [ "$kxg_o" -eq ${wanted} ]
}`,
  );
}

function address(want: WaitForPort): string {
  const text = want.address ?? '127.0.0.1';
  if (!/^[A-Za-z0-9][A-Za-z0-9._%:-]*$|^:[0-9A-Fa-f:.]+$/.test(text))
    throw invalid(`${JSON.stringify(text)} is no address`);
  return text;
}

function name(want: WaitForPort): string {
  const at = String(want.address ?? '127.0.0.1');
  return `${at.includes(':') ? `[${at}]` : at}:${want.port} ${want.closed === true ? 'closed' : 'open'}`;
}

/** Waits for a port, looking from the host. */
export const waitForPort = defineStep<WaitForPort>()({
  ...waitTraits,
  kind: 'waitForPort',
  description: 'Waits until a TCP port, as the host sees it, is open or closed.',
  title: (want) => `wait for ${name(want)}`,
  probe: (want) => lookOnce(attempt(want)),
  judge: (output, want) =>
    output.code === 0 ? satisfied() : needed({ code: output.code }, [{ what: name(want), from: 'not yet', to: 'yes' }]),
  apply: (_host, want) => pollScript(attempt(want), name(want), want),
  example: { port: 6443, timeoutSeconds: 120 },
});
