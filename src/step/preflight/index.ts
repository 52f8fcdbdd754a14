import type { Text } from '../../model/errors/index.ts';
import type { Wanted } from '../../plan/ref.ts';
import { dedicated } from '../../plan/step.ts';
import { command, message, userInput } from '../generic/index.ts';
import type { Expected } from './expected.ts';
import { facts } from './facts.ts';
import { type Look, look } from './look.ts';
import type { Target } from './ports.ts';
import { listenScript, listenSeconds, reachScript, STOP_SCRIPT } from './reach.ts';
import { type Report, report } from './report.ts';
import { syncScript } from './sync.ts';

/** The dedicated steps of the checks before a cluster. They change nothing. */
export const greet = dedicated(
  'greeting',
  message,
  'Says who is at work, and on what.',
  (params: { readonly text: Text }) => message(params),
);

/** Judges the facts of a host. */
export const judgeHost = dedicated('facts', facts, 'Judges what is known of a host already.', (want: Expected) =>
  facts(want),
);

/** Looks at a host. */
export const lookAtHost = dedicated('look', look, 'Looks at what facts do not tell.', (want: Look) => look(want));

/** Measures a disk. */
export const measureDisk = dedicated(
  'disk-latency',
  command,
  'Measures how long a durable write takes where etcd will write.',
  ({ dir }: { readonly dir: string }) =>
    command({ run: syncScript(dir).script, purpose: `measure durable writes at ${dir}` }),
);

/** Listens for the others. */
export const listen = dedicated(
  'listen',
  command,
  'Listens for a while on the ports that other hosts will use.',
  ({ ports, hosts }: { readonly ports: readonly number[]; readonly hosts: number }) =>
    command({ run: listenScript(ports, listenSeconds(hosts)).script, purpose: `listen on ${ports.join(', ')}` }),
);

/** Tries to reach the others. */
export const reach = dedicated(
  'reach',
  command,
  'Tries to connect to the other hosts.',
  ({ targets }: { readonly targets: readonly Target[] }) =>
    command({
      run: reachScript(targets).script,
      purpose: `connect to ${targets.length} ports of other hosts`,
      timeoutSeconds: 120,
    }),
);

/** Stops listening. */
export const stopListening = dedicated('stop-listening', command, 'Stops listening.', (_: object) =>
  command({ run: STOP_SCRIPT.script, purpose: 'stop listening' }),
);

/** Tells what was found. */
export const tellFindings = dedicated(
  'findings',
  report,
  'Shows all findings in one table; errors end the run.',
  (want: Wanted<Report>) => report(want),
);

/** Asks whether to go on. */
export const confirm = dedicated(
  'confirm',
  userInput,
  'Asks whether to go on; --yes answers.',
  ({ question }: { readonly question: Text }) => userInput({ question }),
);
