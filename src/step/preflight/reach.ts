import { shellSource } from '../../host/shell-source.ts';
import { lines, rawScript, type Script, sh } from '../../model/script.ts';
import { type Finding, finding } from './finding.ts';
import { LISTENING, type Target } from './ports.ts';

const FUNCTIONS = lines(LISTENING, rawScript(shellSource(new URL('./reach.sh', import.meta.url))));

/** Whom a host has not tried by then it does not try. */
const TRY_SECONDS = 100;
const AT_ONCE = 64;

/** How long a listener that nobody stops lives: until the last of so many hosts has had its turn. */
export function listenSeconds(hosts: number): number {
  return 60 + Math.ceil(hosts / 5);
}

/** Listens on those of the ports that nobody listens on, in the background, for so long. */
export function listenScript(ports: readonly number[], seconds: number): Script {
  return lines(FUNCTIONS, sh`kxp_listen ${seconds} ${ports}`);
}

/** Tries to connect to others, many at once. Says `done`, and whom it did not reach. */
export function reachScript(targets: readonly Target[]): Script {
  return lines(
    FUNCTIONS,
    sh`kxp_begin ${TRY_SECONDS} ${AT_ONCE}`,
    ...targets.map(({ host, address, port }) => sh`kxp_next ${host} ${address} ${port}`),
    sh`wait
echo done`,
  );
}

/** Ends the listener. */
export const STOP_SCRIPT = lines(FUNCTIONS, sh`kxp_unlisten`);

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
