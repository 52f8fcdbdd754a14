import { existsSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { causes, eventually, host as named, Rig, task } from '../../test/rig/engine.ts';
import { type ShellServer, startShellServer } from '../../test/rig/shell-server.ts';
import type { LinkedMachine } from '../host/machine.ts';
import type { Machine } from '../model/host.ts';
import { rawScript } from '../model/script.ts';
import { on, sequence } from '../plan/combinators.ts';
import { defineStep, needed, type StepDefinition, satisfied } from '../plan/step.ts';
import type { NewEvent } from './options.ts';

/** What the step of these tests is about: a directory, and how to end the host from inside. */
interface Want {
  readonly dir: string;
}

type Step = Partial<StepDefinition<Want, string, undefined>>;

/** Where the host goes away: at an event of the run, when a file is there, or when the step itself says so. */
interface Phase {
  readonly step: Step;
  readonly at?: NewEvent['type'];
  readonly file?: string;
}

const BIG = 30_000_000;
/** In a script of host `a` only: says that it has come here, and does not go on by itself. */
const here = ': >"$1/here"; sleep 60';
const onA = (dir: string, script: string): string => `set -- ${dir}; if [ "$KX_STATE" = ${dir}/a ]; then ${script}; fi`;

describe.each(['powerOff', 'unplug'] as const)('a host is lost by %s', (how) => {
  let server: ShellServer;
  let dir: string;
  let open: LinkedMachine[];
  let off: () => void;

  beforeEach(async () => {
    server = await startShellServer();
    dir = await mkdtemp(join(tmpdir(), 'kx-power-'));
    open = [];
    off = () => server.host('a')[how]();
  });
  afterEach(async () => {
    await Promise.all(open.map((machine) => machine.close()));
    await server.close();
    await rm(dir, { recursive: true, force: true });
  });

  const connect = async (name: string): Promise<readonly [string, Machine]> => {
    const machine = await server.host(name).connect({
      stateDir: join(dir, name),
      keepaliveMs: 300,
      deadlines: { reconnectMs: 1000, channelMs: 3000, sideMs: 3000 },
    });
    open.push(machine);
    return [name, machine];
  };
  const plain: StepDefinition<Want, string, undefined> = {
    kind: 'made',
    description: 'a file of each host',
    title: () => 'made',
    probe: (want) => rawScript(`cat ${want.dir}/made.\${KX_STATE##*/} 2>/dev/null`),
    judge: (seen) => (seen.stdout === '' ? needed('', [{ what: 'file' }]) : satisfied(undefined)),
    apply: (_host, want) => rawScript(`echo x >${want.dir}/made.\${KX_STATE##*/}`),
    revert: (_host, want) => rawScript(`rm -f ${want.dir}/made.\${KX_STATE##*/}`),
    example: { dir: '/tmp' },
  };
  /** Runs a step on both hosts, and ends one of them at the phase. */
  const run = async ({ step, at, file }: Phase) => {
    const rig = new Rig([]);
    const machines = new Map(await Promise.all(['a', 'b'].map(connect)));
    const emit = (event: NewEvent): void => {
      rig.events.push(event);
      if (event.type === at && 'host' in event && event.host === 'a') off();
    };
    const use = defineStep<Want>()({ ...plain, ...step })({ dir });
    const running = rig.run(task('m/t', on([named('a'), named('b')], use, { name: 'made' })), { machines, emit });
    if (file !== undefined) {
      await eventually(() => existsSync(join(dir, file)));
      off();
    }
    return { rig, result: await running };
  };
  const big = async (): Promise<string> => {
    const file = join(dir, 'big');
    await writeFile(file, Buffer.alloc(BIG, 'x'));
    return file;
  };
  const sends = (begin: (file: string) => void, progress: () => void): Step => ({
    timeoutSeconds: 600,
    apply: async (host, want): Promise<undefined> => {
      const file = join(want.dir, 'big');
      if (host.name === 'a') begin(file);
      await host.put(file, join(want.dir, `made.${host.name}`), host.name === 'a' ? { progress } : {});
    },
  });

  const phases: Readonly<Record<string, () => Phase | Promise<Phase>>> = {
    'the check': () => ({
      step: { probe: (want) => rawScript(`${onA(want.dir, here)}; cat ${want.dir}/made.\${KX_STATE##*/} 2>/dev/null`) },
      file: 'here',
    }),
    'the before-image': () => ({ step: { saves: (want) => [join(want.dir, 'made.a')] }, at: 'node-started' }),
    'the before-image of its own work': () => ({
      step: {
        saves: (want) => [join(want.dir, 'made.a')],
        apply: async (host, want): Promise<undefined> => {
          if (host.name === 'a') off();
          await host.write(join(want.dir, `made.${host.name}`), 'x');
        },
      },
    }),
    'a command': () => ({
      step: { apply: (_host, want) => rawScript(`${onA(want.dir, here)}; echo x >${want.dir}/made.\${KX_STATE##*/}`) },
      file: 'here',
    }),
    'the check behind a change': () => ({
      step: {
        probe: (want) =>
          rawScript(
            `[ -e ${want.dir}/made.\${KX_STATE##*/} ] || exit 0; ${onA(want.dir, here)}; cat ${want.dir}/made.\${KX_STATE##*/}`,
          ),
      },
      file: 'here',
    }),
    'the beginning of a transfer': async () => {
      await big();
      return { step: sends(off, () => undefined) };
    },
    'a transfer up': async () => {
      await big();
      let begun = false;
      const first = (): void => {
        if (!begun) off();
        begun = true;
      };
      return { step: sends(() => undefined, first) };
    },
    'a transfer down': async () => {
      await big();
      return {
        step: {
          timeoutSeconds: 600,
          apply: async (host, want): Promise<undefined> => {
            const progress = (done: number): void => void (done > 0 && host.name === 'a' && off());
            await host.get(join(want.dir, 'big'), join(want.dir, `got.${host.name}`), { progress });
            await host.write(join(want.dir, `made.${host.name}`), 'x');
          },
        },
      };
    },
    'the start of a job': () => ({ step: { once: true, saves: () => [] }, at: 'node-started' }),
    'a job that runs': () => ({
      step: {
        once: true,
        apply: (_host, want) => rawScript(`${onA(want.dir, here)}; echo x >${want.dir}/made.\${KX_STATE##*/}`),
      },
      file: 'here',
    }),
    'work that is not over in time': () => ({
      step: {
        timeoutSeconds: 1,
        apply: async (host, want): Promise<undefined> => {
          if (host.name !== 'a') return host.write(join(want.dir, 'made.b'), 'x') as Promise<undefined>;
          off();
          return new Promise(() => undefined);
        },
      },
    }),
  };

  test.each(Object.keys(phases))(
    'during %s: nothing failed, nothing is undone, its nodes are unknown',
    async (name) => {
      const { rig, result } = await run(await phases[name]!());
      expect(result).toMatchObject({
        outcome: 'partial',
        failures: [],
        lostHosts: ['a'],
        counts: { changed: 1, unknown: 1 },
      });
      expect(rig.outcomes()).toEqual({ 'm/t/made@a': 'unknown', 'm/t/made@b': 'changed' });
      const lost = rig.of('host-lost');
      expect(lost).toMatchObject([{ host: 'a', error: { code: 'KX3012' } }]);
      expect(Object.keys(lost[0]!.error)).toEqual(['code', 'params']);
      expect(String(lost[0]!.error.params['reason'])).not.toContain('\n');
      expect([...rig.of('rollback-started'), ...rig.of('warning')]).toEqual([]);
    },
  );

  test('while its task is undone: what is left is not called dirty', async () => {
    const rig = new Rig([]);
    const machines = new Map(await Promise.all([connect('a')]));
    const first = defineStep<Want>()({
      ...plain,
      revert: (_host, want) => rawScript(onA(want.dir, here)),
    });
    const fails = defineStep<Want>()({
      ...plain,
      kind: 'fails',
      apply: () => rawScript('exit 3'),
      probe: () => rawScript(':'),
    });
    const a = named('a');
    const plan = sequence(on(a, first({ dir }), { name: 'first' }), on(a, fails({ dir }), { name: 'fails' }));
    const running = rig.run(task('m/t', plan), { machines });
    await eventually(() => existsSync(join(dir, 'here')));
    off();
    const result = await running;
    expect(causes(result)).toEqual(['KX4002 m/t/fails@a']);
    expect(result).toMatchObject({ lostHosts: ['a'], counts: { changed: 1, failed: 1 } });
    expect(rig.of('host-lost')).toMatchObject([{ host: 'a', error: { code: 'KX3012' } }]);
  });
});
