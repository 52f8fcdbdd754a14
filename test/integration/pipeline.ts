import { sh } from '../../src/model/script.ts';
import { join, on, parallel, sequence } from '../../src/plan/combinators.ts';
import { defineModule, definePipeline, defineTask } from '../../src/plan/layers.ts';
import { dedicated, defineStep, half, needed, satisfied } from '../../src/plan/step.ts';
import {
  checkedCommand,
  command,
  directory,
  file,
  managedBlock,
  query,
  symlink,
  upload,
} from '../../src/step/generic/index.ts';

/** The parameters of the pipeline of the integration tests. */
export interface SampleParams {
  /** The directory that everything happens in, on every host. */
  readonly root: string;
  /** Seconds that the once-only job takes. */
  readonly jobSeconds: number;
  /** A host on which the last step of the second task fails. */
  readonly failOn: string;
}

interface Once {
  readonly dir: string;
  readonly seconds: number;
}

/** A job that must never be done twice: every start leaves a line, so that a second one shows. */
const onceStep = defineStep<Once>()({
  kind: 'once',
  description: 'A once-only job for tests.',
  title: (want) => `once in ${want.dir}`,
  once: true,
  timeoutSeconds: 60,
  probe: (want) => sh`cat ${want.dir}/once.state 2>/dev/null || echo absent`,
  judge: (seen) => {
    const state = seen.stdout.trim();
    if (state === 'done') return satisfied({ state });
    if (state === 'begun') return half({ state }, 'it was begun and not finished');
    return needed({ state }, [{ what: 'once', to: 'done' }]);
  },
  apply: (_host, want) => sh`echo begun > ${want.dir}/once.state
echo start >> ${want.dir}/once.log
sleep ${want.seconds}
echo done > ${want.dir}/once.state`,
  revert: (_host, want) => sh`rm -f ${want.dir}/once.state; echo revert >> ${want.dir}/once.log`,
  example: { dir: '/tmp', seconds: 1 },
});

/** A token as kubeadm would make one: short-lived, secret. */
const mintStep = defineStep<{ readonly dir: string }>()({
  kind: 'mint',
  description: 'A minted secret for tests.',
  title: () => 'mint a token',
  nature: 'mint',
  apply: () => sh`printf %s minted-s3cret-$$`,
  result: (output) => output.stdout,
  example: { dir: '/tmp' },
});

/** A step that uses a minted secret, as joining a cluster does. */
const joinStep = defineStep<{ readonly dir: string; readonly token: string }>()({
  kind: 'join',
  description: 'A step with a secret input for tests.',
  title: (want) => `join in ${want.dir}`,
  probe: (want) => sh`test -s ${want.dir}/joined`,
  judge: (seen) => (seen.code === 0 ? satisfied() : needed({}, [{ what: 'joined' }])),
  apply: (_host, want) => sh`printf %s ${want.token} | sha256sum > ${want.dir}/joined`,
  saves: (want) => [`${want.dir}/joined`],
  example: { dir: '/tmp', token: 'x' },
});

const folder = dedicated('folder', directory, 'The directory of the sample.', (path: string) =>
  directory({ path, mode: '0755' }),
);
const settings = dedicated(
  'settings',
  file,
  'A file whose content comes from another host.',
  (want: Parameters<typeof file>[0]) => file(want),
);
const seed = dedicated('seed', file, 'A file made on the local machine.', (want: { path: string; content: string }) =>
  file({ ...want, mode: '0600' }),
);
const seeded = dedicated('seeded', upload, 'The seed, sent to the host.', (want: Parameters<typeof upload>[0]) =>
  upload(want),
);
const names = dedicated(
  'names',
  managedBlock,
  'A block in a file that is not ours.',
  (want: { path: string; content: string }) => managedBlock(want),
);
const link = dedicated('link', symlink, 'A link to the settings.', (want: { path: string; target: string }) =>
  symlink(want),
);
const who = dedicated('who', query, 'What the first host says of itself.', (want: { text: string }) =>
  query({ run: ['echo', want.text] }),
);
const once = dedicated('once', onceStep, 'A job that is never done twice.', (want: Once) => onceStep(want));
const token = dedicated('token', mintStep, 'A token.', (want: { readonly dir: string }) => mintStep(want));
const joined = dedicated('joined', joinStep, 'Joins with the token.', (want: Parameters<typeof joinStep>[0]) =>
  joinStep(want),
);
const flag = dedicated('flag', checkedCommand, 'A command with a check.', (want: { path: string; fails: boolean }) =>
  checkedCommand({
    run: want.fails
      ? 'echo half > "$OUT"; s=$(dirname "$OUT").says; [ ! -e "$s" ] || echo "it said $(cat "$s")" >&2; echo "the disk is on fire" >&2; exit 3'
      : 'echo yes > "$OUT"',
    env: { OUT: want.path },
    check: ['grep', '-qx', 'yes', want.path],
    rollback: ['rm', '-f', want.path],
  }),
);
const finalized = dedicated('finalized', command, 'Runs at the end, whatever happened.', (path: string) =>
  command({ run: ['touch', path] }),
);

const prepare = defineTask<SampleParams>({
  name: 'sample/prepare',
  description: 'Directories, files, a block and a link.',
  tags: ['prepare'],
  steps: [seed, folder, seeded, names, link, who, settings],
  plan: (context, params) => {
    const first = context.hosts.slice(0, 1);
    const made = on(context.local, seed({ path: `${context.workDir}/seed.txt`, content: 'seed of the sample\n' }));
    const said = on(first, who({ text: 'hello from the first' }));
    const ref = said.ref();
    return sequence(
      parallel(made, said),
      on(context.hosts, folder(params.root)),
      parallel(
        on(context.hosts, seeded({ source: made.ref(), path: `${params.root}/seed.txt`, mode: '0640' })),
        on(context.hosts, names({ path: `${params.root}.names`, content: 'a line\nanother\n' })),
      ),
      on(
        context.hosts,
        settings({ path: `${params.root}/settings.json`, content: { json: { leader: ref } }, mode: '0644' }),
      ),
      on(context.hosts, link({ path: `${params.root}/current`, target: 'settings.json' })),
    );
  },
});

const install = defineTask<SampleParams>({
  name: 'sample/install',
  description: 'A once-only job, then a command; can be told to fail.',
  tags: ['install'],
  steps: [once, token, joined, flag],
  plan: (context, params) => {
    const made = on(context.hosts.slice(0, 1), token({ dir: params.root }));
    return sequence(
      on(context.hosts, once({ dir: params.root, seconds: params.jobSeconds })),
      join('all-prepared'),
      made,
      on(context.hosts, joined({ dir: params.root, token: made.ref() })),
      on(context.hosts, (host) => flag({ path: `${params.root}/flag`, fails: host.name === params.failOn })),
    );
  },
});

const sample = defineModule<SampleParams>({
  name: 'sample',
  description: 'The module of the integration tests.',
  tasks: [prepare, install],
  plan: (context, params) => sequence(prepare.use(context, params), install.use(context, params)),
});

const wrapUp = defineTask<SampleParams>({
  name: 'sample/wrap-up',
  description: 'What runs at the end whatever happened.',
  tags: ['finalizer'],
  steps: [finalized],
  plan: (context, params) => on(context.hosts, finalized(`${params.root}.finalized`)),
});

/** Real steps on real hosts: what the integration tests plan, run, break and resume. */
export const samplePipeline = definePipeline<SampleParams>({
  name: 'test sample',
  description: 'The pipeline of the integration tests.',
  actsOn: ['**'],
  modules: [sample],
  plan: (context, params) => sample.plan(context, params),
  finalizers: (context, params) => wrapUp.use(context, params),
});
