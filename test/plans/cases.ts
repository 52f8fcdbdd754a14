import { barrier, nothing, on, parallel, rolling, sequence, until } from '../../src/plan/combinators.ts';
import { defineModule, definePipeline, defineTask, type PlanContext, withOutputs } from '../../src/plan/layers.ts';
import type { ExecutionFragment } from '../../src/plan/node.ts';
import type { Ref } from '../../src/plan/ref.ts';
import { dedicated } from '../../src/plan/step.ts';
import { createCases } from './create-cases.ts';
import { contextOf, demo, join, many, step, token, touch } from './fixtures.ts';
import { nodeCases } from './node-cases.ts';
import { smokeCases } from './smoke-cases.ts';

const download = defineTask<void, { readonly archive: Ref<string> }>({
  name: 'store/download',
  description: 'Fetches the store once, for all.',
  tags: ['store', 'download'],
  steps: [demo.download],
  plan: (context) => {
    const archive = on(context.local, demo.download({ version: '1.2.3' }));
    return withOutputs(archive, { archive: archive.ref() });
  },
});

const newCluster = dedicated('new-cluster', touch, 'A mark that lives until the cluster exists.', (_: object) =>
  touch({ path: '/etc/demo.new' }),
);
const exists = dedicated('cluster-exists', touch, 'Looks for the cluster.', (_: object) => touch({ path: '/etc/demo.db' }));
const start = dedicated('start', touch, 'Starts it.', (params: { readonly peers: Ref<Readonly<Record<string, unknown>>> }) =>
  touch({ path: '/run/demo', token: params.peers as unknown as Ref<string> }),
);
const upload = dedicated('upload', touch, 'The archive on the host.', (params: { readonly archive: Ref<string> }) =>
  touch({ path: params.archive }),
);

const install = defineTask<{ readonly archive: Ref<string> }, void>({
  name: 'store/install',
  description: 'Installs and starts the store.',
  tags: ['store'],
  steps: [upload, demo.config, demo.key, demo.unit, exists, newCluster, start],
  plan: (context, { archive }) => {
    const hosts = context.role('store');
    const config = on(hosts, (host) => demo.config({ member: host.name }));
    const files = parallel(
      on(hosts, upload({ archive })),
      config,
      on(hosts, demo.key({ key: 'a very secret key' })),
      on(hosts, demo.unit({ content: '[Service]\nExecStart=/usr/local/bin/demo\n' }), { tags: ['unit'] }),
    );
    const first = until(on(hosts[0]!, exists({})), on(hosts, newCluster({})));
    return sequence(files, first, on(hosts, start({ peers: config.refs() })));
  },
  compensate: (context) => on(context.role('store'), step('remove')),
});

const check = defineTask<void, void>({
  name: 'store/check',
  description: 'Looks at the whole.',
  tags: ['store', 'check'],
  steps: [],
  plan: (context) => on(context.role('store'), step('member')),
});

const store = defineModule({
  name: 'store',
  description: 'A replicated store.',
  tasks: [download, install, check],
  plan: (context: PlanContext) => {
    const fetched = download.use(context);
    const archive = fetched.outputs?.archive;
    const installed = archive ? install.use(context, { archive }) : nothing();
    return sequence(fetched, barrier('members-up', 'quorum', installed, check.use(context)));
  },
});

const pipeline = definePipeline({ name: 'create store', description: 'A store.', actsOn: [], modules: [store] });

/** A made-up module with everything: files, secrets, per-host wants, a gate, all hosts' values, a quorum. */
function replicatedStore(): ExecutionFragment {
  const context = contextOf({ store: ['db1', 'db2', 'db3'] });
  return pipeline.plan(context, undefined);
}

/** Ten machines, one first, then four at a time, after all of them were prepared. */
function rollingUpgrade(): ExecutionFragment {
  const workers = many('worker0', 9);
  return sequence(
    on(workers, step('prepare')),
    rolling('upgrade', workers, { canary: 1, batch: 4, needs: 'quorum' }, (batch) =>
      sequence(on(batch, step('drain')), on(batch, step('replace')), on(batch, step('uncordon'))),
    ),
  );
}

/** Five thousand machines join with a token that is made only if one of them needs it. */
function joinWorkers(): ExecutionFragment {
  const workers = many('node', 5000);
  const control = many('cp', 3);
  const made = on(control[0]!, token({ hours: 2 }));
  const secret = made.ref();
  return sequence(
    parallel(on(workers, step('packages')), on(control, step('packages'))),
    made,
    on(workers, join({ token: secret, endpoint: '10.0.0.10:6443' })),
    on(control[0]!, step('label "ready" \\ <all>')),
  );
}

/** The plans that are kept as files in the folders of these names. */
export const cases: Readonly<Record<string, () => ExecutionFragment>> = {
  'replicated-store': replicatedStore,
  'rolling-upgrade': rollingUpgrade,
  'join-workers': joinWorkers,
  ...nodeCases,
  ...smokeCases,
  ...createCases,
};
