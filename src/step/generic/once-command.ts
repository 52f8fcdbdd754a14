import type { Effect } from '../../model/effect.ts';
import type { Json } from '../../model/json.ts';
import { lines, type Script, sh } from '../../model/script.ts';
import { defineStep, half, needed, satisfied } from '../../plan/step.ts';
import { type Content, contentBytes } from './lib/content.ts';
import { absolute, invalid } from './lib/path.ts';
import { type CommandContext, type CommandText, commandScript } from './lib/script-text.ts';

/** A command that must succeed exactly once in the life of a machine: `kubeadm init`, a member that joins. */
export interface OnceCommand extends CommandContext {
  /** Names what it achieves, for good: `kubeadm`. Two commands that exclude each other have the same name. */
  readonly name: string;
  readonly run: CommandText;
  /** What it is for, for people. */
  readonly purpose: string;
  /** Puts the machine back to before it began. Must work after any part of it. */
  readonly undo: CommandText;
  /** What exists as soon as it has begun. There without us having begun, it is somebody else's, and nothing is touched. */
  readonly traces: readonly string[];
  /** A file for the command alone, gone with it, as is what the command writes to `$KX_CONFIG.*`. It may hold secrets. */
  readonly config?: Content;
  /** What must be done before, as what it produced: passing it draws the edge. */
  readonly after?: Json;
  readonly effects?: readonly Effect[];
  /** Default 600. */
  readonly timeoutSeconds?: number;
}

/** Runs a command once. That it has begun, and that it is done, is noted on the host; what has begun and is not done is undone. */
export const onceCommand = defineStep<OnceCommand>()({
  kind: 'onceCommand',
  description:
    'Runs a command that must never run twice: its beginning and its end are noted on the host, and a half of it is undone first.',
  title: (want) => String(want.purpose ?? 'a command that runs once'),
  once: true,
  probe: (want) =>
    lines(
      sh`cat -- ${noteOf(want)} 2>/dev/null || echo none`,
      sh`for p in ${want.traces.map(absolute)}; do if [ -e "$p" ]; then echo "$p"; fi; done`,
    ),
  judge: (output, want) => {
    const [state = '', ...traces] = output.stdout.trim().split('\n');
    if (state === 'done') return satisfied({ done: true });
    if (state === 'begun') return half({ traces }, 'it has begun and not ended');
    return needed({ traces }, [{ what: want.purpose, from: 'not done', to: 'done' }]);
  },
  apply: (_host, want) => {
    const config = want.config === undefined ? [] : [configScript(want.config)];
    return lines(
      sh`if [ "$(cat -- ${noteOf(want)} 2>/dev/null)" = done ]; then exit 0; fi`,
      sh`for p in ${want.traces.map(absolute)}; do
  if [ -e "$p" ]; then echo "$p is there already, and kubexm has not made it: nothing was changed" >&2; exit 1; fi
done`,
      note(want, 'begun'),
      ...config,
      sh`(`,
      commandScript(want.run, want),
      sh`) || exit`,
      note(want, 'done'),
    );
  },
  revert: (_host, want) =>
    lines(
      // It was refused before it began: what is there is somebody else's.
      sh`[ -e ${noteOf(want)} ] || exit 0`,
      sh`(`,
      commandScript(want.undo, {}),
      sh`) || exit`,
      sh`rm -f -- ${noteOf(want)}; rmdir "$KX_STATE"/once 2>/dev/null || :`,
    ),
  owns: (want) => [`once:${want.name}`],
  effects: (want) => want.effects ?? [],
  timeoutSeconds: (want) => want.timeoutSeconds ?? 600,
  estimateSeconds: 15,
  example: {
    name: 'example',
    run: ['touch', '/tmp/kubexm-example-once'],
    purpose: 'an example',
    undo: ['rm', '-f', '/tmp/kubexm-example-once'],
    traces: ['/tmp/kubexm-example-once'],
  },
});

/** The note must be on disk before the work begins, and after it is done. */
function note(want: OnceCommand, state: 'begun' | 'done'): Script {
  return sh`{ mkdir -p "$KX_STATE"/once && echo ${state} >${noteOf(want)}.new && sync ${noteOf(want)}.new && mv ${noteOf(want)}.new ${noteOf(want)} && sync "$KX_STATE"/once; } || exit`;
}

function noteOf({ name }: OnceCommand): Script {
  if (!/^[a-z0-9][a-z0-9.-]*$/.test(name))
    throw invalid(`${JSON.stringify(name)} is no name for a command that runs once`);
  return sh`"$KX_STATE"/once/${name}`;
}

/**
 * Written by the shell itself: no list of processes shows it. It lies in the job's own directory, which goes whatever becomes of the
 * job: not every shell runs its EXIT trap when a signal ends it.
 */
function configScript(content: Content): Script {
  const text = Buffer.from(contentBytes(content)).toString('base64');
  return sh`KX_CONFIG=$KX_T/config; export KX_CONFIG
trap 'rm -f -- "$KX_CONFIG" "$KX_CONFIG".*' EXIT
(umask 077; printf %s ${text} | base64 -d >"$KX_CONFIG") || exit`;
}
