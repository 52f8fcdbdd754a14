import type { EventSink, RunEvent } from '../../index.ts';
import { printable } from '../../model/text/printable.ts';
import type { Io } from '../io.ts';
import type { Say } from '../texts/index.ts';

type Finished = Extract<RunEvent, { type: 'node-finished' }>;
type EventChange = NonNullable<Finished['diff']>[number];

/** What a dry run found, kept until its end. */
export interface WouldChanges {
  readonly sink: EventSink;
  lines(io: Io): string[];
}

/**
 * Gathers what a dry run says would change; equal changes on several hosts are shown once. Actions look, wait or tell: they run
 * every time, and are no change.
 */
export function wouldChanges(): WouldChanges {
  const found = new Map<string, { readonly event: Finished; readonly hosts: string[] }>();
  return {
    sink: (event) => {
      if (event.type !== 'node-finished' || event.outcome !== 'would-change') return;
      const key = JSON.stringify([event.task, event.step, event.diff]);
      const same = found.get(key);
      if (same) same.hosts.push(event.host);
      else found.set(key, { event, hosts: [event.host] });
    },
    lines: (io) =>
      found.size === 0
        ? [io.say('diffNone')]
        : [...found.values()].flatMap(({ event, hosts }, i) => [
            ...(i === 0 ? [] : ['']),
            ...changeLines(event, hosts, io),
          ]),
  };
}

const HOSTS_SHOWN = 12;

function changeLines(event: Finished, hosts: readonly string[], io: Io): string[] {
  const { say, paint } = io;
  const name = event.node.replace(/@[^@]*$/, '');
  const head = `${paint('bold', printable(name))}  ${paint('dim', say('diffOn', { hosts: someHosts(hosts, say) }))}`;
  const changes = event.diff ?? [];
  return [
    head,
    ...(changes.length === 0 ? [`  ${printable(event.title)}`] : changes.flatMap((change) => diffLines(change, io))),
  ];
}

/** One difference: `+`, `-` and `~` say what happens, colour only repeats it. */
function diffLines({ what, from, to, text }: EventChange, { paint }: Io): string[] {
  if (text !== undefined)
    return [`  ${paint('yellow', `~ ${printable(what)}`)}`, ...text.split('\n').map((line) => `    ${unified(line)}`)];
  if (from === undefined)
    return [`  ${paint('green', `+ ${printable(what)}${to === undefined ? '' : `: ${printable(to)}`}`)}`];
  if (to === undefined) return [`  ${paint('red', `- ${printable(what)}: ${printable(from)}`)}`];
  return [`  ${paint('yellow', `~ ${printable(what)}: ${printable(from)} → ${printable(to)}`)}`];

  function unified(line: string): string {
    const style = line.startsWith('+')
      ? 'green'
      : line.startsWith('-')
        ? 'red'
        : line.startsWith('@@')
          ? 'cyan'
          : 'plain';
    return paint(style, printable(line));
  }
}

const byName = new Intl.Collator('en', { numeric: true });

function someHosts(all: readonly string[], say: Say): string {
  const hosts = [...all].sort(byName.compare);
  const names = hosts.slice(0, HOSTS_SHOWN).join(', ');
  return hosts.length > HOSTS_SHOWN ? say('andMore', { names, n: hosts.length - HOSTS_SHOWN }) : names;
}
