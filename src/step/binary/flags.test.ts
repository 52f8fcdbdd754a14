import { describe, expect, test } from 'vitest';
import { contextWithArtifacts, creatable, fromPrograms } from '../../../test/plans/create-cases.ts';
import { kubernetes } from '../../../test/plans/kubernetes-fields.ts';
import { commonSettings, nodeSettings } from '../../task/kubernetes/settings.ts';
import { firstMaster } from '../../task/nodes.ts';
import { contentBytes } from '../generic/lib/content.ts';
import { apiServerFlags, commandLine, controllerManagerFlags, kubeletFlags } from './flags.ts';
import { type Program, unitFile } from './places.ts';
import { programUnit } from './services.ts';

const PROGRAMS: readonly Program[] = [
  'kube-apiserver',
  'kube-controller-manager',
  'kube-scheduler',
  'kubelet',
  'kube-proxy',
];

async function settingsOf(text: string) {
  const context = await contextWithArtifacts(fromPrograms(text));
  return { cluster: commonSettings(context), node: nodeSettings(context, firstMaster(context)) };
}

const EVERYTHING =
  'featureGates: {MemoryQoS: true}, kubeletArgs: [--root-dir=/data/kubelet, --v=2], apiserverArgs: [--audit-log-maxage=30, --allow-privileged=false], controllerManagerArgs: [--v=3, --bind-address=0.0.0.0], schedulerArgs: [--v=4]';

// Refresh with: npm test -- src/step/binary --update
describe('the units of a master', () => {
  test.each([
    ['1.34', creatable({ masters: 3 })],
    ['1.34-everything', kubernetes(EVERYTHING)],
    ['1.30', creatable({ version: 'v1.30.4' })],
  ])('%s', async (name, text) => {
    const settings = await settingsOf(text);
    const units = PROGRAMS.map((program) => {
      const { content } = programUnit({ ...settings, program }).want as { content: Parameters<typeof contentBytes>[0] };
      return `# ${unitFile(program)}\n${Buffer.from(contentBytes(content)).toString()}`;
    });
    await expect(units.join('\n')).toMatchFileSnapshot(`../golden/units-${name}.txt`);
  });
});

const valuesOf = (flags: readonly { readonly name: string; readonly value: string }[], name: string) =>
  flags.filter((flag) => flag.name === name).map(({ value }) => value);

test('what the user says of a flag is all that is said of it', async () => {
  const settings = await settingsOf(kubernetes(EVERYTHING));
  expect(valuesOf(apiServerFlags(settings), 'allow-privileged')).toEqual(['false']);
  expect(valuesOf(controllerManagerFlags(settings), 'bind-address')).toEqual(['0.0.0.0']);
  expect(valuesOf(kubeletFlags(settings), 'root-dir')).toEqual(['/data/kubelet']);
});

test('feature gates of the cluster are flags, and fields of the kubelet and of kube-proxy', async () => {
  const settings = await settingsOf(kubernetes('featureGates: {MemoryQoS: true}'));
  expect(valuesOf(apiServerFlags(settings), 'feature-gates')).toEqual(['MemoryQoS=true']);
  expect(valuesOf(kubeletFlags(settings), 'feature-gates')).toEqual([]);
  expect(settings.cluster.kubelet).toMatchObject({ featureGates: { MemoryQoS: true } });
});

test.each([
  ['a b', '"--x=a b"'],
  ['10%', '--x=10%%'],
  ['$HOME', '--x=$$HOME'],
  ['{"a": "b\\c"}', String.raw`"--x={\"a\": \"b\\c\"}"`],
  ['a;b', '"--x=a;b"'],
])('systemd reads %s as it is', (value, word) => {
  expect(commandLine('kubelet', [{ name: 'x', value }])).toBe(`/usr/local/bin/kubelet \\\n  ${word}`);
});

test('controller manager and scheduler are only for the host itself', async () => {
  expect(valuesOf(controllerManagerFlags(await settingsOf(creatable())), 'bind-address')).toEqual(['127.0.0.1']);
});

test('an etcd that exists is asked where it is, by the files that it needs', async () => {
  const { cluster, node } = await settingsOf(creatable());
  const endpoints = ['http://192.0.2.9:2379'];
  const flags = apiServerFlags({ cluster: { ...cluster, etcd: { endpoints } }, node });
  expect(valuesOf(flags, 'etcd-servers')).toEqual(endpoints);
  expect(flags.filter(({ name }) => /^etcd-.*file$/.test(name))).toEqual([]);
});
