import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { output } from '../../model/host.ts';
import type { JsonObject } from '../../model/json.ts';
import type { Script } from '../../model/script.ts';
import { type KubeObjects, kubeObjects } from './kube-objects.ts';
import { patchedManifest } from './lib/kube-manifest.ts';

const { judge, apply, retry } = kubeObjects.definition;
const want: KubeObjects = {
  name: 'a namespace',
  objects: [{ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'example' } }],
  kubeconfig: '/etc/kubernetes/admin.conf',
};
const DIFF = `diff -u -N /tmp/LIVE-1/v1.Namespace..example /tmp/MERGED-2/v1.Namespace..example
--- /tmp/LIVE-1/v1.Namespace..example
+++ /tmp/MERGED-2/v1.Namespace..example
`;

describe('objects of Kubernetes', () => {
  test.each([
    ['the server would change nothing', 0, '', undefined],
    ['it would change one', 1, DIFF, ['v1.Namespace..example']],
    ['there is no server yet', 1, 'The connection to the server was refused', ['Namespace example']],
    ['there is no kubectl yet', 127, 'kubectl: not found', ['Namespace example']],
  ])('%s', (_, code, stdout, changed) => {
    const verdict = judge?.(output(code, stdout), want);
    expect(verdict?.verdict).toBe(changed === undefined ? 'satisfied' : 'needed');
    expect(verdict?.verdict === 'needed' ? verdict.diff.map(({ what }) => what) : undefined).toEqual(changed);
  });

  test('a server that is coming up is asked again, one that says no is not', () => {
    const transient = retry?.(want)?.transient;
    expect(transient?.(output(1, '', 'dial tcp 10.0.0.1:6443: connect: connection refused'))).toBe(true);
    expect(transient?.(output(1, '', 'Error from server (Forbidden): …'))).toBe(false);
  });
});

describe('a manifest of a project', () => {
  let dir: string;
  beforeAll(() => {
    dir = mkdtempSync(join(tmpdir(), 'kubexm-manifest-'));
    writeFileSync(
      join(dir, 'm.yaml'),
      `kind: ConfigMap
metadata: {name: cfg}
data: {a: "1", b: "2"}
---
kind: DaemonSet
metadata: {name: ds}
spec: {template: {spec: {containers: [{image: 'docker.io/x/y:v1'}], initContainers: [{name: one, image: other:v2}, {name: two, volumeMounts: [{name: v, mountPath: /a}], args: [x]}]}}}
`,
    );
  });
  afterAll(() => rmSync(dir, { recursive: true, force: true }));
  const source = () => ({ path: join(dir, 'm.yaml'), sha256: '' });

  test('has the images and the fields of this cluster', () => {
    const images = { 'docker.io/x/y': 'hub.example.com/x/y:v9' };
    const patches = [{ kind: 'ConfigMap', name: 'cfg', merge: { data: { a: '9', b: null } } }];
    const [config, daemon] = patchedManifest({ source: source(), images, patches });
    expect(config).toMatchObject({ data: { a: '9' } });
    expect(config?.['data']).not.toHaveProperty('b');
    expect(JSON.stringify(daemon)).toContain('hub.example.com/x/y:v9');
    expect(JSON.stringify(daemon)).toContain('other:v2');
  });

  test('is changed within lists: by name, a mount by its place; what is to go goes, what has no name is replaced', () => {
    const merge = {
      spec: {
        template: {
          spec: {
            initContainers: [
              { name: 'one', $patch: 'delete' },
              { name: 'two', volumeMounts: [{ name: 'v', mountPath: '/b' }], args: ['y', 'z'] },
              { name: 'three' },
            ],
          },
        },
      },
    };
    const patches = [{ kind: 'DaemonSet', name: 'ds', merge }];
    const mounts = ['/a', '/b'].map((mountPath) => ({ name: 'v', mountPath }));
    expect(patchedManifest({ source: source(), images: {}, patches })[1]).toMatchObject({
      spec: {
        template: {
          spec: {
            containers: [{ image: 'docker.io/x/y:v1' }],
            initContainers: [{ name: 'two', volumeMounts: mounts, args: ['y', 'z'] }, { name: 'three' }],
          },
        },
      },
    });
  });

  test('that has nothing to change under a name is refused', () => {
    const patches = [{ kind: 'ConfigMap', name: 'gone', merge: {} }];
    expect(() => patchedManifest({ source: source(), images: {}, patches })).toThrow(/gone/);
  });
});

describe('the configuration that pods read', () => {
  const config = (name: string, data: JsonObject, kind = 'ConfigMap', namespace = 'net') => ({
    kind,
    metadata: { name, namespace },
    data,
  });
  const workload = (kind: string, spec: JsonObject, name = 'one') => ({
    kind,
    metadata: { name, namespace: 'net' },
    spec: { template: { metadata: { annotations: { theirs: 'x' } }, spec } },
  });
  const volume = (name: string) => ({ volumes: [{ name: 'v', configMap: { name } }] });
  /** The annotations of the pod template of each object. */
  const annotations = (...objects: readonly JsonObject[]) => {
    const { script } = apply({} as never, { ...want, objects }, {} as never) as Script;
    const text = Buffer.from(/printf %s (\S+) \|/.exec(script)?.[1] ?? '', 'base64').toString();
    return parseAllDocuments(text).map(
      (document) => (document.toJS() as Template).spec?.template.metadata.annotations ?? {},
    );
  };
  const KEY = 'kubexm.mensylisir.io/config';
  const of = (spec: JsonObject, ...configs: readonly JsonObject[]) =>
    annotations(workload('DaemonSet', spec), ...configs)[0]?.[KEY];

  test('is in their template, so that another one restarts them', () => {
    const before = of(volume('cfg'), config('cfg', { mtu: '0' }));
    expect(before).toMatch(/^[0-9a-f]{64}$/);
    expect(of(volume('cfg'), config('cfg', { mtu: '0' }))).toBe(before);
    expect(of(volume('cfg'), config('cfg', { mtu: '1400' }))).not.toBe(before);
    expect(annotations(workload('DaemonSet', volume('cfg')), config('cfg', {}))[0]).toHaveProperty('theirs', 'x');
  });

  test('is only what they refer to, wherever they do', () => {
    const other = config('other', { a: '1' });
    const before = of(volume('cfg'), config('cfg', {}), other);
    expect(of(volume('cfg'), config('cfg', {}), config('other', { a: '2' }))).toBe(before);
    expect(of(volume('cfg'), config('cfg', {}, 'Secret'), config('cfg', {}, 'ConfigMap', 'elsewhere'))).toBeUndefined();
    const containers = (env: JsonObject) => ({ containers: [{ name: 'c', ...env }] });
    const specs: readonly JsonObject[] = [
      containers({ envFrom: [{ configMapRef: { name: 'other' } }] }),
      containers({ env: [{ name: 'A', valueFrom: { configMapKeyRef: { name: 'other', key: 'a' } } }] }),
      { volumes: [{ name: 'v', projected: { sources: [{ configMap: { name: 'other' } }] } }] },
    ];
    for (const spec of specs) expect(of(spec, other)).toBeDefined();
    const secret = config('key', { a: 'YQ==' }, 'Secret');
    expect(of({ volumes: [{ name: 'v', secret: { secretName: 'key' } }] }, secret)).toBeDefined();
  });

  test('is not told where a template may not change, nor where there is none', () => {
    const job = workload('Job', volume('cfg'));
    expect(annotations(job, config('cfg', {}), workload('Deployment', {}))).toEqual([
      { theirs: 'x' },
      {},
      { theirs: 'x' },
    ]);
  });
});

interface Template {
  readonly spec?: { readonly template: { readonly metadata: { readonly annotations: Record<string, string> } } };
}
