import { sh } from '../../src/model/script.ts';
import { on, sequence } from '../../src/plan/combinators.ts';
import { defineModule, definePipeline, defineTask } from '../../src/plan/layers.ts';
import type { Ref } from '../../src/plan/ref.ts';
import { dedicated, defineStep, half, needed, type StepUse, satisfied } from '../../src/plan/step.ts';
import {
  checkedCommand,
  directory,
  file,
  hostname,
  type Kept,
  kernelModule,
  managedBlock,
  mode,
  packages,
  remove,
  service,
  symlink,
  sysctl,
  timezone,
  upload,
  user,
  group as userGroup,
} from '../../src/step/generic/index.ts';

/** The parameters of the pipeline of the manifest's tests. */
export interface ChangesParams {
  /** Where everything happens, on every host. */
  readonly root: string;
  /** How many groups of changes. */
  readonly groups: number;
  /** Another version of everything: the second change of the same things. */
  readonly version: number;
  /** The group whose last change fails, on every host. */
  readonly failAt?: number;
  /** Also what needs a whole machine: packages, accounts, units, kernel settings. */
  readonly system?: boolean;
}

/** A once-only job with a revert of its own and an effect: somebody else makes a directory and mounts something. */
export const daemon = defineStep<{ readonly dir: string; readonly name: string }>()({
  kind: 'testDaemon',
  description: 'A daemon for tests.',
  title: (want) => `daemon ${want.name}`,
  once: true,
  timeoutSeconds: 60,
  probe: (want) => sh`cat ${want.dir}/${want.name}.daemon 2>/dev/null || echo absent`,
  judge: (seen) => {
    const state = seen.stdout.trim();
    if (state === 'runs') return satisfied();
    return state === 'begun' ? half({ state }, 'it was begun') : needed({ state }, [{ what: 'daemon', to: 'runs' }]);
  },
  apply: (_host, want) => sh`echo begun >${want.dir}/${want.name}.daemon
mkdir -p ${want.dir}/${want.name}.data/deep ${want.dir}/${want.name}.data/mnt
mountpoint -q ${want.dir}/${want.name}.data/mnt || mount -t tmpfs none ${want.dir}/${want.name}.data/mnt
echo x >${want.dir}/${want.name}.data/deep/file
echo runs >${want.dir}/${want.name}.daemon`,
  revert: (_host, want, before) =>
    before.state === 'absent'
      ? sh`rm -f ${want.dir}/${want.name}.daemon`
      : sh`echo ${before.state} >${want.dir}/${want.name}.daemon`,
  owns: (want) => [`testDaemon:${want.name}`],
  effects: (want) => [
    { type: 'path', path: `${want.dir}/${want.name}.data` },
    { type: 'mounts', below: `${want.dir}/${want.name}.data` },
  ],
  example: { dir: '/tmp', name: 'x' },
});

const change = dedicated('change', file, 'Any change at all.', (use: StepUse) => use);

/** One group: two files, a link, a directory with a file, a block, a mode, two removals, an upload, a command, a daemon. */
function group(params: ChangesParams, i: number, seed: Ref<Kept>): readonly StepUse[] {
  const at = (name: string) => `${params.root}/g${i}/${name}`;
  const v = params.version;
  const named = (name: string, use: StepUse): StepUse => ({ ...change(use), name });
  return [
    named('old-file', file({ path: at('conf'), content: `version ${v} of ${i}\n`, mode: '0644' })),
    named('new-file', file({ path: at('made'), content: `made ${v}\n`, mode: '0600' })),
    named('link', symlink({ path: at('link'), target: `made.${v}` })),
    named('folder', directory({ path: at('deep/er'), mode: '0750' })),
    named('in-folder', file({ path: at('deep/er/inside'), content: `inside ${v}\n`, mode: '0640' })),
    named('block', managedBlock({ path: at('hosts'), content: `10.0.0.${v} name${i}\n` })),
    named('mode', mode({ path: at('script'), mode: v % 2 === 0 ? '0700' : '0711' })),
    named('gone', remove({ path: at('gone') })),
    named('gone-tree', remove({ path: at('tree') })),
    named('sent', upload({ source: seed, path: at('sent'), mode: '0640' })),
    named('daemon', daemon({ dir: `${params.root}/g${i}`, name: 'd' })),
    named(
      'command',
      checkedCommand({
        run: `echo v${v} >${at('flag')}; ${params.failAt === i ? 'exit 3' : ':'}`,
        check: ['grep', '-qx', `v${v}`, at('flag')],
        rollback: ['rm', '-f', at('flag')],
      }),
    ),
  ];
}

const seedFile = dedicated('seed', file, 'A file to be sent.', (want: { path: string; content: string }) =>
  file({ ...want, mode: '0600' }),
);

/** Every group is a task of its own, so that a failure rolls back only its own. */
const groups = Array.from({ length: 40 }, (_, i) =>
  defineTask<{ readonly params: ChangesParams; readonly source: Ref<Kept> }>({
    name: `manifest/g${i}`,
    description: 'A group of changes.',
    tags: ['group'],
    steps: [change],
    plan: (context, { params, source }) => sequence(...group(params, i, source).map((use) => on(context.hosts, use))),
  }),
);

/** chrony takes the place of systemd-timesyncd; the service's unit, settings and user are made for it. */
const machineSteps: Readonly<Record<string, StepUse>> = {
  packages: packages({ install: ['chrony', 'socat'] }),
  group: userGroup({ name: 'kxdemo', system: true }),
  user: user({ name: 'kxdemo', group: 'kxdemo', system: true }),
  zone: timezone({ zone: 'Asia/Shanghai' }),
  name: hostname({ name: 'kx-renamed' }),
  kernel: sysctl({ values: { 'net.ipv4.ip_forward': '1' }, file: '99-kx-demo.conf' }),
  module: kernelModule({ modules: ['overlay'], file: 'kx-demo.conf' }),
  unit: file({
    path: '/etc/systemd/system/kx-demo.service',
    content: '[Service]\nUser=kxdemo\nExecStart=/bin/sleep 6000\n[Install]\nWantedBy=multi-user.target\n',
    mode: '0644',
  }),
  service: service({ unit: 'kx-demo', enabled: true, running: 'started', fingerprint: 'one', settleSeconds: 1 }),
};
const machine = defineTask<undefined>({
  name: 'manifest/machine',
  description: 'Changes of a whole machine.',
  tags: ['machine'],
  steps: [change],
  plan: (context) => {
    const nodes = Object.entries(machineSteps).map(([name, use]) => on(context.hosts, { ...change(use), name }));
    return sequence(...nodes);
  },
});

const module = defineModule<ChangesParams>({
  name: 'manifest',
  description: 'Changes of all kinds.',
  tasks: [...groups, machine],
  plan: (context, params) => {
    const seed = on(context.local, seedFile({ path: `${context.workDir}/seed`, content: `seed ${params.version}\n` }));
    const source = seed.ref();
    const parts = groups.slice(0, params.groups).map((one) => one.use(context, { params, source }));
    const whole = params.system === true ? [machine.use(context, undefined)] : [];
    return sequence(seed, ...parts, ...whole);
  },
});

/** Changes of all kinds, which the cluster owns. */
export const changesPipeline = definePipeline<ChangesParams>({
  name: 'test changes',
  description: 'Changes of all kinds on hosts.',
  actsOn: ['**'],
  modules: [module],
  plan: (context, params) => module.plan(context, params),
});
