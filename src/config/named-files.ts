import { parsePattern, reaches } from './pattern.ts';
import { formatPath, type Path, type Tree } from './tree.ts';

/** A file of the machine kubexm runs on, as a configuration names it. */
export interface NamedFile {
  readonly field: string;
  readonly name: string;
  /** Relative names begin at the directory of the configuration, not at the current one. */
  readonly besideConfig: boolean;
}

const BESIDE = [
  ...['ca', 'etcd', 'frontProxy'].flatMap((name) => [`spec.pki.${name}.caFile`, `spec.pki.${name}.keyFile`]),
  ...['caFile', 'certFile', 'keyFile'].map((name) => `spec.etcd.external.${name}`),
];
const ELSEWHERE = [
  'spec.ssh.privateKeyPath',
  'spec.ssh.sshConfig',
  'spec.ssh.bastion[].privateKeyPath',
  'spec.hosts[].privateKeyPath',
  'spec.hosts[].bastion[].privateKeyPath',
  'spec.artifacts.sources[].path',
  'spec.artifacts.sources[].caFile',
  'spec.kubernetes.audit.policyFile',
  'spec.addons[].valuesFile',
];

/** The files that a configuration names. */
export function namedFiles(tree: Tree | undefined): readonly NamedFile[] {
  const patterns = [
    ...BESIDE.map((text) => ({ pattern: parsePattern(text), besideConfig: true })),
    ...ELSEWHERE.map((text) => ({ pattern: parsePattern(text), besideConfig: false })),
  ];
  const found: NamedFile[] = [];
  const visit = (here: Tree, path: Path): void => {
    if (here.kind === 'list') {
      here.items.forEach((item, i) => {
        visit(item, [...path, i]);
      });
    } else if (here.kind === 'map') for (const [key, entry] of here.entries) visit(entry.value, [...path, key]);
    else {
      const match = patterns.find(({ pattern }) => reaches(pattern, path));
      if (match === undefined || typeof here.value !== 'string' || here.value === '' || here.value === 'none') return;
      found.push({ field: formatPath(path), name: here.value, besideConfig: match.besideConfig });
    }
  };
  if (tree !== undefined) visit(tree, []);
  return found;
}
