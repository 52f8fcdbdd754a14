import { describe, expect, test } from 'vitest';
import { configFor } from '../../test/support/plan-context.ts';
import { documentSchema } from '../model/cluster/document.ts';
import { configFingerprint } from './fingerprint.ts';
import { eachField, fieldOf } from './introspect.ts';
import { loadConfig } from './load.ts';
import { renderProblems } from './render.ts';
import { namesSecret } from './secret-spans.ts';
import { unsupportedFields } from './support.ts';

const file = 'cluster.yaml';
const load = (overrides: readonly string[], text = configFor()) => loadConfig({ text, file }, overrides);
const shown = async (...overrides: readonly string[]) => {
  const { problems, source } = await load(overrides);
  return renderProblems(problems, source, { lang: 'en', color: false });
};

describe('overrides', () => {
  const cases: readonly (readonly [word: string, path: readonly (string | number)[], value: unknown])[] = [
    ['kubernetes.version=v1.33.2', ['kubernetes', 'version'], 'v1.33.2'],
    ['spec.kubernetes.maxPods=150', ['kubernetes', 'maxPods'], 150],
    ['system.ntpServers=[a.example, b.example]', ['system', 'ntpServers'], ['a.example', 'b.example']],
    ['hosts[1].address=10.2.0.9', ['hosts', 1, 'address'], '10.2.0.9'],
    ['hosts[node1].labels.zone=a', ['hosts', 1, 'labels'], { zone: 'a' }],
    ['hosts[node1].labels["example.com/zone"]=a', ['hosts', 1, 'labels'], { 'example.com/zone': 'a' }],
    [
      'kubernetes.kubeletConfiguration.serializeImagePulls=false',
      ['kubernetes', 'kubeletConfiguration'],
      { serializeImagePulls: false },
    ],
    ['runtime.type=docker', ['kubernetes', 'containerRuntime', 'type'], 'docker'],
    ['metadata.name=other', [], undefined],
  ];
  test.each(cases)('%s', async (word, path, value) => {
    const { cluster, problems } = await load([word]);
    expect(problems.filter(({ severity }) => severity === 'error')).toEqual([]);
    if (path.length === 0) expect(cluster?.metadata.name).toBe('other');
    else
      expect(path.reduce<unknown>((here, part) => (here as Record<string, unknown>)[part], cluster?.spec)).toEqual(
        value,
      );
  });

  test('an old name in the file and another one here are one field', async () => {
    const text = configFor({ more: '  runtime: {type: docker}' });
    expect(
      (await load(['kubernetes.containerRuntime.type=containerd'], text)).cluster?.spec.kubernetes.containerRuntime
        .type,
    ).toBe('containerd');
    expect(
      (await load(['kubernetes.runtime.type=containerd'], text)).cluster?.spec.kubernetes.containerRuntime.type,
    ).toBe('containerd');
  });

  test('the last of several holds, and without any nothing changes', async () => {
    const { cluster } = await load(['kubernetes.maxPods=90', 'kubernetes.maxPods=91']);
    expect(cluster?.spec.kubernetes.maxPods).toBe(91);
    const [plain, none] = await Promise.all([load([]), loadConfig({ text: configFor(), file })]);
    expect(configFingerprint(plain.cluster!)).toBe(configFingerprint(none.cluster!));
    expect(configFingerprint(cluster!)).not.toBe(configFingerprint(none.cluster!));
  });
});

describe('problems point at the flag', () => {
  test('a value that the schema refuses', async () => {
    expect(await shown('kubernetes.maxPods=many')).toBe(
      `-e: error KX2206: spec.kubernetes.maxPods must be a whole number, not many
  -e | kubernetes.maxPods=many
     |                    ^^^^
  fix: Write digits only, half-width, without quotes and units.`,
    );
  });

  test('a field that does not exist, with the one that was meant', async () => {
    const text = await shown('kubernetes.maxPod=90');
    expect(text).toMatch(/^-e: error KX220\d: /);
    expect(text).toContain('maxPods');
  });

  test('a rule between fields: the file is shown by its lines still', async () => {
    const { problems } = await load(['network.kubePodsCIDR=10.96.0.0/12', 'network.kubeServiceCIDR=10.96.0.0/12']);
    expect(problems.find(({ code }) => code === 'KX2601')?.at.file).toBe('-e');
    const bad = await load(['kubernetes.maxPods=90'], configFor().replace('plugin: flannel', 'plugin: flanel'));
    expect(bad.problems.map(({ at }) => [at.file, at.line])).toEqual([[file, 13]]);
  });

  test.each([
    ['kubernetes', 'KX2230'],
    ['=x', 'KX2230'],
    ['kubernetes.=x', 'KX2230'],
    ['a b=x', 'KX2230'],
    ['kubernetes.version=[', 'KX2230'],
    ['hosts[7].address=10.0.0.1', 'KX2231'],
    ['hosts[nobody].address=10.0.0.1', 'KX2231'],
    ['kubernetes.version.major=1', 'KX2231'],
  ])('%s: %s', async (word, code) => {
    const { problems, cluster } = await load([word]);
    expect({ codes: problems.map((one) => one.code), cluster }).toEqual({ codes: [code], cluster: undefined });
    expect(problems[0]?.at.file).toBe('-e');
  });

  test('what a pipeline cannot act on', async () => {
    const { source } = await load(['kubernetes.maxPods=90']);
    const [refused] = unsupportedFields(
      source,
      ['spec.hosts.**', 'spec.roleGroups.**', 'spec.kubernetes.version', 'spec.etcd.**', 'spec.network.**'],
      'x',
    );
    expect(refused).toMatchObject({ code: 'KX4010', at: { file: '-e', column: 1, length: 18 } });
  });
});

describe('secrets', () => {
  test.each(['ssh.password=hunter2secret', 'hosts[0]={name: cp1, address: 10.1.0.1, password: hunter2secret}'])(
    '%s is refused and not shown',
    async (word) => {
      const text = await shown(word);
      expect(text).toContain('KX2232');
      expect(text).not.toContain('hunter2');
    },
  );

  test('a reference is none', async () => {
    expect((await load(['ssh.password=env:PASSWORD'])).cluster?.spec.hosts[0]?.ssh.password?.toString()).toBe(
      'env:PASSWORD',
    );
  });

  test('what is not understood is not shown', async () => {
    expect(await shown('ssh. password=hunter2secret')).not.toContain('hunter2');
  });

  test('every field of the schema that holds one is known by its name', () => {
    const unknown: string[] = [];
    eachField(documentSchema, (path, schema) => {
      const { meta } = fieldOf(schema);
      if (meta.secret !== true) return;
      for (const name of [path.at(-1) ?? '', ...(meta.aliases ?? [])]) if (!namesSecret(name)) unknown.push(name);
    });
    expect(unknown).toEqual([]);
  });
});
