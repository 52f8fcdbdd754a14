import { shellSource } from '../../host/shell-source.ts';
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

const OPEN = rawScript(shellSource(new URL('./wait-for-port.sh', import.meta.url)));

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
