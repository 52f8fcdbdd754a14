import { cleanPath, isInside } from '../../model/cluster/data-directory.ts';
import { KUBELET_DIR } from '../../model/cluster/places.ts';
import type { Path } from '../tree.ts';
import { type Rule, type RuleContext, rule } from './rule.ts';

/** A directory that one program has for itself. */
interface Place {
  readonly name: string;
  readonly directory: string;
  readonly path: Path;
}

const ROOT_DIR = '--root-dir=';

/** The directories with data of this cluster, those in use only. */
function placesOf({ cluster }: RuleContext): readonly Place[] {
  const { etcd, kubernetes, registry, storage } = cluster.spec;
  const runtime = kubernetes.containerRuntime.type;
  const root = kubernetes.kubeletArgs.findLastIndex((arg) => arg.startsWith(ROOT_DIR));
  const place = (directory: string | undefined, ...path: Path): readonly Place[] =>
    directory === undefined
      ? []
      : [{ name: path.slice(-2).join('.'), directory: cleanPath(directory), path: ['spec', ...path] }];
  return [
    ...(etcd.type === 'external' ? [] : place(etcd.dataDir, 'etcd', 'dataDir')),
    ...(root === -1
      ? [{ name: 'kubelet', directory: KUBELET_DIR, path: ['spec', 'kubernetes'] }]
      : [
          {
            name: 'kubelet --root-dir',
            directory: cleanPath(kubernetes.kubeletArgs[root]?.slice(ROOT_DIR.length) ?? ''),
            path: ['spec', 'kubernetes', 'kubeletArgs', root],
          },
        ]),
    ...(runtime === 'containerd' ? place(registry.containerdDataDir, 'registry', 'containerdDataDir') : []),
    ...(runtime === 'docker' ? place(registry.dockerDataDir, 'registry', 'dockerDataDir') : []),
    ...(registry.type === 'registry' || registry.type === 'harbor'
      ? place(registry.registryDataDir, 'registry', 'registryDataDir')
      : []),
    ...place(storage.openebs?.basePath, 'storage', 'openebs', 'basePath'),
  ];
}

const apart = rule(
  ['spec.etcd.dataDir', 'spec.etcd.type', 'spec.kubernetes.kubeletArgs', 'spec.registry', 'spec.storage'],
  (context) => {
    const places = placesOf(context);
    places.forEach((one, i) => {
      for (const other of places.slice(i + 1)) {
        const [inner, outer] = isInside(one.directory, other.directory) ? [one, other] : [other, one];
        if (!isInside(inner.directory, outer.directory)) continue;
        // What the user wrote is shown, not a default beside it.
        const [at, also] = context.isSet(inner.path.join('.')) ? [inner, outer] : [outer, inner];
        const params = { inner: inner.name, outer: outer.name, path: inner.directory };
        context.report('KX2771', params, at.path, also.path);
      }
    });
  },
);

/** Rules over directories of data. */
export const directoryRules: readonly Rule[] = [apart];
