import { spawnSync } from 'node:child_process';
import { chmodSync, closeSync, copyFileSync, openSync, readSync, rmSync } from 'node:fs';
import { join } from 'node:path';

/** How a program is asked for its version, and the line that it answers for one. */
interface Question {
  readonly args: readonly string[];
  line(version: string): string;
}

const FLAG = ['--version'];
const kubernetes: Question = { args: FLAG, line: (version) => `Kubernetes v${version}` };
const cniPlugin = (name: string): Question => ({ args: FLAG, line: (version) => `CNI ${name} plugin v${version}` });
/** Since its second major version the project's module has it in its name. */
const containerd = (version: string) => `github.com/containerd/containerd${version.startsWith('1.') ? '' : '/v2'}`;

const CNI_PLUGINS = [
  'bandwidth',
  'bridge',
  'dhcp',
  'dummy',
  'firewall',
  'flannel',
  'host-device',
  'host-local',
  'ipvlan',
  'loopback',
  'macvlan',
  'portmap',
  'ptp',
  'sbr',
  'static',
  'tap',
  'tuning',
  'vlan',
  'vrf',
];

const QUESTIONS: Readonly<Record<string, Question>> = {
  ...Object.fromEntries(CNI_PLUGINS.map((name) => [name, cniPlugin(name)])),
  'kube-apiserver': kubernetes,
  'kube-controller-manager': kubernetes,
  'kube-proxy': kubernetes,
  'kube-scheduler': kubernetes,
  kubelet: kubernetes,
  kubeadm: { args: ['version', '-o', 'short'], line: (version) => `v${version}` },
  kubectl: { args: ['version', '--client'], line: (version) => `Client Version: v${version}` },
  etcd: { args: FLAG, line: (version) => `etcd Version: ${version}` },
  etcdctl: { args: ['version'], line: (version) => `etcdctl version: ${version}` },
  etcdutl: { args: ['version'], line: (version) => `etcdutl version: ${version}` },
  containerd: { args: FLAG, line: (version) => `containerd ${containerd(version)} v${version} v${version}` },
  'containerd-shim-runc-v2': { args: ['-v'], line: (version) => `  Version:  v${version}` },
  ctr: { args: FLAG, line: (version) => `ctr ${containerd(version)} v${version}` },
  runc: { args: FLAG, line: (version) => `runc version ${version}` },
  crictl: { args: FLAG, line: (version) => `crictl version ${version}` },
  coredns: { args: ['-version'], line: (version) => `CoreDNS-${version}` },
  flanneld: { args: FLAG, line: (version) => `v${version}` },
  pause: { args: FLAG, line: (version) => `kubexm pause ${version}` },
  nerdctl: { args: FLAG, line: (version) => `nerdctl version ${version}` },
  helm: { args: ['version', '--template', '{{.Version}}'], line: (version) => `v${version}` },
  'kube-bench': { args: ['version'], line: (version) => version },
  'kube-vip': { args: ['version'], line: (version) => `Version:  v${version}` },
  'cri-dockerd': { args: FLAG, line: (version) => `cri-dockerd ${version} (v${version})` },
  'docker-compose': { args: ['version', '--short'], line: (version) => version },
  'metrics-server': { args: FLAG, line: (version) => `v${version}` },
  registry: { args: FLAG, line: (version) => `registry github.com/distribution/distribution/v3 v${version}` },
};

/** Programs that have no version to tell, and why. */
export const NO_VERSION: Readonly<Record<string, string>> = {
  'iptables-wrapper': 'it hands everything on to the iptables that the node uses, and has no options of its own',
};

/** What a program of this name and version has to answer. */
export function rightAnswer(name: string, version: string): string {
  return QUESTIONS[name]?.line(version) ?? `nobody knows how ${name} is asked for its version`;
}

/** Starts a program with nothing around it: the line that tells its version, or all that it said instead. */
export function answer(file: string, name: string, version: string): string {
  const question = QUESTIONS[name];
  if (question === undefined) return 'not asked';
  const ran = spawnSync(file, question.args, {
    argv0: name,
    encoding: 'utf8',
    input: '',
    env: {},
    cwd: '/',
    timeout: 60_000,
  });
  const said = `${ran.stdout}${ran.stderr}`;
  const right = question.line(version);
  if (ran.status === 0 && said.split('\n').some((line) => line.trimEnd() === right)) return right;
  return `${ran.error?.message ?? `ended with ${ran.status}`}: ${said}`;
}

/** The same for a file of a store, which is no program yet. */
export function answerOfCopy(file: string, dir: string, name: string, version: string): string {
  const copy = join(dir, name);
  copyFileSync(file, copy);
  chmodSync(copy, 0o755);
  try {
    return answer(copy, name, version);
  } finally {
    rmSync(copy);
  }
}

/** For which processor a program is, as its ELF header tells; undefined where it is no program. */
export function elfMachine(file: string): number | undefined {
  const head = Buffer.alloc(20);
  const opened = openSync(file, 'r');
  try {
    const read = readSync(opened, head, 0, head.length, 0);
    return read === head.length && head.readUInt32BE(0) === 0x7f454c46 ? head.readUInt16LE(18) : undefined;
  } finally {
    closeSync(opened);
  }
}
