import { describe, expect, test } from 'vitest';
import { KubexmError } from '../../model/errors/index.ts';
import type { Host, Output } from '../../model/host.ts';
import type { StepReport } from '../../model/report.ts';
import type { Script } from '../../model/script.ts';
import type { StepIo } from '../../plan/step.ts';
import { type CheckResult, type Tried, trialsOf } from './checks.ts';
import { reasonOf } from './kubectl.ts';
import { smokeObjects } from './objects.ts';
import { podsIn, type SmokePod, smokePods } from './pods.ts';
import { smokeReport } from './report.ts';
import { smokeTry } from './try.ts';

const pod = (i: number, more: Partial<SmokePod> = {}): SmokePod => ({
  node: `node${i}`,
  name: `testserver-${i}`,
  addresses: [`10.233.${i}.7`],
  nodeAddresses: [`192.0.2.${i}`],
  problem: null,
  ...more,
});
const many = (n: number) => Array.from({ length: n }, (_, i) => pod(i + 1));

function output(code: number, stdout = '', stderr = ''): Output {
  return { code, stdout, stderr, bytes: Buffer.from(stdout), truncated: false };
}

/** A master whose kubectl answers as the test says. */
function master(answer: (script: string) => Output): Host & { readonly scripts: readonly string[] } {
  const scripts: string[] = [];
  const run = async ({ script }: Script) => {
    scripts.push(script);
    return answer(script);
  };
  return { name: 'cp1', scripts, run } as unknown as Host & { scripts: string[] };
}

function listener() {
  const said: StepReport[] = [];
  const io = {
    signal: new AbortController().signal,
    progress: () => undefined,
    report: (one: StepReport) => said.push(one),
  };
  return { said, io: io as unknown as StepIo };
}

// Some wait, so they do it at the same time.
describe.concurrent('what kubectl says of the pods', () => {
  const item = (node: string, status: object, metadata: object = {}) => ({
    metadata: { name: `testserver-${node}`, ...metadata },
    spec: { nodeName: node },
    status: { podIPs: [{ ip: '10.233.0.7' }], hostIP: '192.0.2.1', ...status },
  });
  const ready = { conditions: [{ type: 'Ready', status: 'True' }] };
  const notReady = {
    phase: 'Pending',
    conditions: [{ type: 'Ready', status: 'False', message: 'containers with unready status' }],
  };
  test.each([
    ['one that serves', item('node1', ready), null],
    ['one that is not ready', item('node1', notReady), 'Pending: containers with unready status'],
    [
      'one whose image is missing',
      item('node1', {
        ...notReady,
        containerStatuses: [{ state: { waiting: { reason: 'ErrImageNeverPull', message: 'no image' } } }],
      }),
      'ErrImageNeverPull: no image',
    ],
    ['one that is being deleted', item('node1', ready, { deletionTimestamp: 'now' }), 'no pod'],
    ['one of another node', item('node2', ready), 'no pod'],
    ['one without a status', { metadata: { name: 'a' }, spec: { nodeName: 'node1' } }, 'not ready'],
  ])('%s', (_, one, problem) => {
    expect(podsIn(JSON.stringify({ items: [one] }), ['node1'])).toMatchObject([{ node: 'node1', problem }]);
  });

  test('addresses of both families, and of the node', () => {
    const both = item('node1', {
      ...ready,
      podIPs: [{ ip: '10.1.1.1' }, { ip: 'fd00::1' }],
      hostIPs: [{ ip: '192.0.2.1' }, { ip: 'fd01::1' }],
    });
    expect(podsIn(JSON.stringify({ items: [both] }), ['node1'])).toEqual([
      {
        node: 'node1',
        name: 'testserver-node1',
        addresses: ['10.1.1.1', 'fd00::1'],
        nodeAddresses: ['192.0.2.1', 'fd01::1'],
        problem: null,
      },
    ]);
  });

  test('waits until all serve; in the end tells what there is', async () => {
    const answers = [
      output(1, '', 'connection refused'),
      output(0, JSON.stringify({ items: [] })),
      output(0, JSON.stringify({ items: [item('node1', ready)] })),
    ];
    const host = master(() => answers.shift() ?? output(1));
    const { apply } = smokePods.definition;
    expect(await apply(host, { nodes: ['node1'], timeoutSeconds: 30 }, listener().io)).toMatchObject([
      { problem: null },
    ]);
    const none = master(() => output(0, JSON.stringify({ items: [] })));
    expect(await apply(none, { nodes: ['node1'], timeoutSeconds: 0 }, listener().io)).toMatchObject([
      { problem: 'no pod' },
    ]);
    const down = master(() => output(1, '', 'The connection to the server was refused'));
    await expect(apply(down, { nodes: ['node1'], timeoutSeconds: 0 }, listener().io)).rejects.toMatchObject({
      code: 'KX4608',
      params: { reason: 'The connection to the server was refused' },
    });
  });
});

test.each([
  [
    '{"error":"dial tcp 10.233.1.7:8080: i/o timeout","to":"10.233.1.7:8080"}\n',
    '502 Bad Gateway\ncommand terminated with exit code 1\n',
    'dial tcp 10.233.1.7:8080: i/o timeout',
  ],
  [
    '',
    'warning: old\nError from server (NotFound): pods "a" not found\n',
    'Error from server (NotFound): pods "a" not found',
  ],
  ['{"result":[]}', '', ''],
])('the reason in %j and %j', (stdout, stderr, reason) => {
  expect(reasonOf({ stdout, stderr })).toBe(reason);
});

describe.concurrent('what is tried', () => {
  const context = (pods: readonly SmokePod[]) => ({
    pods,
    service: 'testserver-x7k2p',
    domain: 'cluster.local',
    master: 'cp1',
    nodePort: 31_000,
  });
  const pairs = (check: Tried, pods: readonly SmokePod[]) =>
    trialsOf(check, context(pods)).map(({ from, to }) => `${from} ${to}`);

  test('every pod tries every other, as long as there are few', () => {
    expect(pairs('pod-to-pod', many(1))).toEqual([]);
    expect(pairs('pod-to-pod', many(3)).sort()).toEqual([
      'node1 node2',
      'node1 node3',
      'node2 node1',
      'node2 node3',
      'node3 node1',
      'node3 node2',
    ]);
  });

  test('of many, each is reached by some', () => {
    const tried = pairs('pod-to-pod', many(100));
    expect(tried).toHaveLength(400);
    expect(new Set(tried.map((pair) => pair.split(' ')[1])).size).toBe(100);
  });

  test('a pod that does not serve takes no part; both families do', () => {
    const two = [pod(1), pod(2, { problem: 'no pod' }), pod(3, { addresses: ['10.233.3.7', 'fd00::3'] })];
    const scripts = trialsOf('pod-to-pod', context(two)).map(({ script }) => script.script);
    expect(scripts).toHaveLength(3);
    expect(scripts[1]).toContain(
      `exec testserver-1 -- /testserver -ask '/tcp?to=${encodeURIComponent('[fd00::3]:8080')}'`,
    );
  });

  test.each<[Tried, string]>([
    ['dns', "exec testserver-1 -- /testserver -ask '/dns?name=kubernetes.default'"],
    ['service', `-ask '/tcp?to=${encodeURIComponent('testserver-x7k2p.kubexm-check.svc.cluster.local:80')}'`],
    ['node-port', '--kubeconfig /dev/null --server http://192.0.2.1:31000'],
    ['logs', 'logs testserver-1'],
    ['exec', 'exec testserver-1 -- /testserver -version'],
  ])('%s', (check, words) => {
    const [trial] = trialsOf(check, context(many(1)));
    expect(trial?.script.script).toContain(words);
  });

  test('something else that answers on a port of the node is not the pod', () => {
    const [trial] = trialsOf('node-port', context(many(1)));
    expect(trial?.isGood(output(0, 'testserver-abcde\n'))).toBe(true);
    expect(trial?.isGood(output(0, '<html>'))).toBe(false);
  });
});

describe.concurrent('a try', () => {
  const { apply } = smokeTry.definition;

  test('what fails at first is tried again', async () => {
    let asked = 0;
    const host = master(() => (asked++ < 2 ? output(1, '', 'not yet') : output(0)));
    const results = await apply(
      host,
      { check: 'dns', pods: many(1), service: '', domain: 'cluster.local', graceSeconds: 15 },
      listener().io,
    );
    expect(results).toEqual([{ check: 'dns', from: 'node1', to: 'kubernetes.default', problem: null }]);
    expect(host.scripts).toHaveLength(3);
  });

  test('what fails to the end is a result, not a failure', async () => {
    const host = master((script) => (script.includes('testserver-2') ? output(1, '', 'no route') : output(0)));
    const results = await apply(
      host,
      { check: 'dns', pods: many(3), service: '', domain: 'cluster.local', graceSeconds: 1 },
      listener().io,
    );
    expect((results as CheckResult[]).map(({ problem }) => problem)).toEqual([null, 'no route', null]);
  });

  test('the port of the nodes is asked for first', async () => {
    const host = master((script) => (script.includes('jsonpath') ? output(0, '31234') : output(0, 'testserver-1\n')));
    const results = await apply(
      host,
      { check: 'node-port', pods: many(1), service: '', domain: '', graceSeconds: 1 },
      listener().io,
    );
    expect(results).toEqual([{ check: 'node-port', from: 'cp1', to: '192.0.2.1:31234', problem: null }]);
    const none = master(() => output(1, '', 'not found'));
    await expect(
      apply(none, { check: 'node-port', pods: [], service: '', domain: '', graceSeconds: 1 }, listener().io),
    ).rejects.toMatchObject({
      code: 'KX4608',
    });
  });
});

describe('the report', () => {
  test('something that failed fails the run, after it was told', async () => {
    const { apply } = smokeReport.definition;
    const nothing = { 'pod-to-pod': [], dns: [], service: [], 'node-port': [], logs: [], exec: [] };
    const good = listener();
    await apply(
      master(() => output(0)),
      { pods: many(2), ports: '-', tried: nothing },
      good.io,
    );
    expect(good.said).toMatchObject([{ type: 'smoke', results: [{ finding: null }, { finding: null }] }]);
    const bad = listener();
    const failing = {
      pods: many(2),
      ports: '-',
      tried: { ...nothing, exec: [{ check: 'exec' as const, from: 'cp1', to: 'node1', problem: 'refused' }] },
    };
    const error = await (
      apply(
        master(() => output(0)),
        failing,
        bad.io,
      ) as Promise<void>
    ).catch((one: unknown) => one);
    expect(error).toBeInstanceOf(KubexmError);
    expect(error).toMatchObject({ code: 'KX4600', params: { failed: 1, total: 3 } });
    const finding = { code: 'KX4607', params: { from: 'cp1', to: 'node1', ports: '-' }, note: 'refused' };
    expect(bad.said).toMatchObject([{ results: [{}, {}, { check: 'exec', finding }] }]);
  });
});

test('the pods are the strictest that there are, on every node', () => {
  const [daemonSet] = smokeObjects('kubexm.invalid/testserver:v1').filter((one) => one['kind'] === 'DaemonSet');
  expect(daemonSet).toMatchObject({
    spec: {
      template: {
        spec: {
          tolerations: [{ operator: 'Exists' }],
          automountServiceAccountToken: false,
          securityContext: { runAsNonRoot: true },
          containers: [{ image: 'kubexm.invalid/testserver:v1', imagePullPolicy: 'Never' }],
        },
      },
    },
  });
});
