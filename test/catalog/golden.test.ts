import { expect, test } from 'vitest';
import { readCatalog } from '../../src/artifacts/catalog/read.ts';
import { resolveArtifacts } from '../../src/artifacts/catalog/resolve.ts';
import { zoneOf } from '../../src/artifacts/catalog/zone.ts';
import { loadConfig } from '../../src/config/load.ts';
import type { ArtifactNeed } from '../../src/model/catalog/need.ts';

interface Golden {
  readonly version: string;
  readonly masters?: number;
  readonly workers?: number;
  /** Hosts of the other processor. */
  readonly arm?: readonly string[];
  readonly roles?: string;
  readonly kubernetes?: string;
  readonly spec: string;
}

const CASES: Readonly<Record<string, Golden>> = {
  'k130-kubeadm-calico': {
    version: 'v1.30.0',
    spec: 'etcd: {type: kubeadm}\nnetwork: {plugin: calico}\ndns: {nodelocaldns: {enabled: true}}',
  },
  'k131-binary-flannel': {
    version: 'v1.31.14',
    masters: 3,
    workers: 2,
    roles: 'etcd: [master1, master2, master3]',
    kubernetes: 'type: kubexm',
    spec: 'network: {plugin: flannel}\ncontrolPlaneEndpoint: {internalLoadbalancer: haproxy}\ndns: {nodelocaldns: {enabled: true}}',
  },
  'k132-docker-keepalived': {
    version: 'v1.32.10',
    masters: 3,
    workers: 2,
    roles: 'etcd: [master1]\n    loadbalancer: [worker1, worker2]',
    kubernetes: 'containerRuntime: docker',
    spec: 'network: {plugin: flannel}\ncontrolPlaneEndpoint: {externalLoadBalancer: kubexm-kh, lb_address: 10.0.0.100}\ndns: {nodelocaldns: {enabled: false}}',
  },
  'k133-binary-cri-o-nginx': {
    version: 'v1.33.5',
    masters: 3,
    kubernetes: 'type: kubexm\n    containerRuntime: cri-o',
    spec: 'etcd: {type: external, external: {endpoints: ["https://10.0.9.1:2379"], caFile: /ca, certFile: /c, keyFile: /k}}\ncontrolPlaneEndpoint: {internalLoadbalancer: nginx}\nnetwork: {plugin: calico}\ndns: {nodelocaldns: {enabled: true}}',
  },
  'k134-mixed-processors': {
    version: 'v1.34.2',
    workers: 3,
    arm: ['worker2', 'worker3'],
    spec: 'etcd: {type: kubeadm}\nnetwork: {plugin: flannel}\naddons: [metrics-server, kube-bench]\ndns: {nodelocaldns: {enabled: true}}',
  },
  'k135-cn-cilium-kube-vip': {
    version: 'v1.35.4',
    masters: 3,
    kubernetes: 'containerRuntime: {type: containerd, version: 2.2.1}',
    spec: 'etcd: {type: kubeadm, version: 3.6.8}\nnetwork: {plugin: cilium}\nartifacts: {zone: cn}\ncontrolPlaneEndpoint: {internalLoadbalancer: kube-vip, lb_address: 10.0.0.100}\ndns: {nodelocaldns: {enabled: true}}',
  },
  'k136-harbor-cn': {
    version: 'v1.36.4',
    roles: 'registry: [worker2]',
    workers: 2,
    kubernetes: 'containerRuntime: isulad',
    spec: 'etcd: {type: kubeadm}\nregistry: {type: harbor, privateRegistry: hub.kubexm.local, namespaceOverride: kubexm}\nartifacts: {zone: cn}\nnetwork: {plugin: calico}\ndns: {nodelocaldns: {enabled: true}}',
  },
};

test.each(Object.entries(CASES))('%s', async (name, golden) => {
  const { cluster, problems } = await loadConfig({ text: configOf(golden), file: `${name}.yaml` });
  expect(problems.filter((one) => one.severity === 'error')).toEqual([]);
  const needs = resolveArtifacts(cluster!, await readCatalog(), zoneOf(cluster!, {}));
  await expect(needs.map(render).join('\n')).toMatchFileSnapshot(`golden/${name}.txt`);

  const references = needs.flatMap((need) => need.images).map((image) => image.reference);
  expect(new Set(references).size).toBe(references.length);
});

function configOf({ version, masters = 1, workers = 1, arm = [], roles, kubernetes, spec }: Golden): string {
  const names = (kind: string, count: number): string[] => Array.from({ length: count }, (_, i) => `${kind}${i + 1}`);
  const all = [...names('master', masters), ...names('worker', workers)];
  const host = (name: string, i: number): string =>
    `    - {name: ${name}, address: 10.0.0.${i + 1}${arm.includes(name) ? ', arch: arm64' : ''}}`;
  return [
    'apiVersion: kubexm.mensylisir.io/v1alpha1',
    'kind: Cluster',
    'metadata: {name: golden}',
    'spec:',
    '  hosts:',
    ...all.map(host),
    '  roleGroups:',
    `    master: [${names('master', masters).join(', ')}]`,
    `    worker: [${names('worker', workers).join(', ')}]`,
    ...(roles === undefined ? [] : [`    ${roles}`]),
    '  kubernetes:',
    `    version: ${version}`,
    ...(kubernetes === undefined ? [] : [`    ${kubernetes}`]),
    ...spec.split('\n').map((line) => `  ${line}`),
    '',
  ].join('\n');
}

/** One need as text that shows a change at a glance. */
function render(need: ArtifactNeed): string {
  const lines = [
    `${need.component} ${need.version ?? '(of the system)'} [${need.arches.join(' ')}]${need.optional ? ' optional' : ''}`,
  ];
  for (const file of need.files) {
    lines.push(
      `  ${file.kind} ${file.name}${file.arch === undefined ? '' : ` ${file.arch}`} for ${file.hosts.join(' ')}`,
    );
    lines.push(`    ${file.url}`, ...file.mirrors.map((url) => `    or ${url}`));
    lines.push(`    ${file.checksum === undefined ? 'no checksum' : `${file.checksum.form} in ${file.checksum.url}`}`);
    const programs = Object.entries(file.programs).map(([program, path]) =>
      program === path ? program : `${program}=${path}`,
    );
    if (programs.length > 0) lines.push(`    has ${programs.join(' ')}`);
  }
  for (const image of need.images) {
    lines.push(`  image ${image.reference} [${image.arches.join(' ')}] for ${image.hosts.join(' ')}`);
    lines.push(`    ${image.upstream}`, ...image.mirrors.map((mirror) => `    or ${mirror}`));
    if (image.made !== undefined) {
      const { own, programs, debian, entrypoint } = image.made;
      const parts = [...own.map((name) => `own:${name}`), ...programs, ...debian.map((name) => `deb:${name}`)];
      lines.push(`    made of ${parts.join(' ')}, runs ${entrypoint.join(' ')}`);
    }
  }
  for (const build of need.builds) {
    const modules = build.modules.map(({ path, version }) => `${path}@${version}`);
    lines.push(
      `  build as ${build.style} ${modules.join(' ')} [${build.arches.join(' ')}]${build.cgo ? ' with cgo' : ''}`,
    );
    lines.push(...Object.entries(build.programs).map(([program, path]) => `    ${program} ${path}`));
    if (build.tags.length > 0) lines.push(`    tags ${build.tags.join(' ')}`);
    if (build.needs.length > 0) lines.push(`    needs ${build.needs.join(' ')}`);
    lines.push(...build.ldflags.map((flag) => `    ${flag}`));
    if (build.replace !== undefined)
      lines.push(`    ${build.replace.modules}@${build.replace.at} is ${build.replace.by}`);
  }
  if (need.packages !== undefined) {
    const names = Object.entries(need.packages.names).filter(([, some]) => some.length > 0);
    lines.push(
      `  packages for ${need.packages.hosts.join(' ')}`,
      ...names.map(([family, some]) => `    ${family}: ${some.join(' ')}`),
    );
  }
  return `${lines.join('\n')}\n`;
}
