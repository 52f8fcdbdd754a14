/** Resources: what a cluster is installed from, as handles that plan how they are got and tell where they lie. */
import type { ArtifactNeed } from '../../model/catalog/need.ts';
import type { Arch } from '../../model/catalog/schema.ts';
import { kubexmError } from '../../model/errors/index.ts';
import { on, type StepFragment } from '../../plan/combinators.ts';
import type { PlanContext } from '../../plan/layers.ts';
import { member, type Ref } from '../../plan/ref.ts';
import { type Item, itemsOf, type Job, jobsOf } from '../cache/index.ts';
import { type Artifact, type Artifacts, getArtifact } from './artifact.ts';
import { layoutPath } from './layout.ts';

export { type Artifact, type Artifacts, type ArtifactWant, artifactKind, getArtifact } from './artifact.ts';
export {
  type ArtifactForecast,
  artifactSeconds,
  artifactsHere,
  type ForecastRequest,
  forecastArtifacts,
  type MissingHere,
  plannedBuilds,
  watchBuilds,
} from './forecast.ts';
export { forgetLocked, readLock } from './lock-file.ts';
export { type PruneReport, pruneArtifacts } from './prune.ts';
export { type ArtifactRow, type ArtifactState, artifactReport, verifyArtifacts } from './report.ts';
export { sourcesOf } from './sources.ts';

/** A file or an image that a cluster needs. */
export interface Resource {
  readonly component: string;
  readonly item: Item;
  /** Hosts that get it. */
  readonly hosts: readonly string[];
  readonly arch: Arch | undefined;
  /** Gets it onto the machine kubexm runs on. Resources that come together share one node. */
  ensurePlan(): StepFragment<Artifacts>;
  /** Where it lies there. */
  path(): string;
  /** The file, once it is there: passing it on draws the edge. */
  ref(): Ref<Artifact>;
}

/** All resources of a cluster. */
export interface Resources {
  readonly all: readonly Resource[];
  /** A program of a component for a processor. */
  program(component: string, name: string, arch: Arch): Resource;
  /** A file that is the same for all processors: a manifest, a chart, an archive. */
  file(component: string, name: string): Resource;
  image(name: string, arch: Arch): Resource;
  /** How the cluster names an image, as manifests write it. */
  reference(image: string): string;
  need(component: string): ArtifactNeed | undefined;
}

/** The resources of a plan. The same handles for every task, so that nothing is got twice. */
export function resourcesOf(context: PlanContext): Resources {
  return context.once(resourcesOf, () => makeResources(context));
}

function makeResources(context: PlanContext): Resources {
  const { artifacts, workDir, local } = context;
  if (artifacts === undefined) throw new TypeError('the pipeline has not said that it uses artifacts');
  const { needs, cacheDir, sources } = artifacts;
  const all = jobsOf(needs).flatMap((job): readonly (Resource & { readonly job: Job })[] => {
    const items = itemsOf(job);
    const pinned = items.flatMap(({ id }) => (artifacts.lock[id] === undefined ? [] : [[id, artifacts.lock[id]]]));
    const lock = Object.fromEntries(pinned);
    const fragment = on(local, getArtifact({ job, workDir, cacheDir, sources, lock }), { name: nodeName(job) });
    return items.map((item) => ({
      component: job.component,
      item,
      job,
      arch: job.arch,
      hosts: hostsOf(job, item),
      ensurePlan: () => fragment,
      path: () => layoutPath(workDir, job, item),
      ref: () => member(fragment.ref(), item.name) as Ref<Artifact>,
    }));
  });
  const find = (what: string, matches: (one: (typeof all)[number]) => boolean): Resource => {
    const found = all.find(matches);
    if (found === undefined) throw kubexmError('KX7024', { what });
    return found;
  };
  const need = (component: string) => needs.find((one) => one.component === component);
  return {
    all,
    need,
    program: (component, name, arch) =>
      find(`${component}/${name} ${arch}`, ({ job, item }) => {
        return item.kind === 'program' && job.component === component && item.name === name && job.arch === arch;
      }),
    file: (component, name) =>
      find(`${component}/${name}`, ({ job, item }) => {
        return job.kind === 'files' && job.component === component && item.name === name && job.arch === undefined;
      }),
    image: (name, arch) =>
      find(`image ${name} ${arch}`, ({ job }) => {
        return job.kind === 'image' && job.image.name === name && job.arch === arch;
      }),
    reference: (name) => {
      const image = needs.flatMap(({ images }) => images).find((one) => one.name === name);
      if (image === undefined) throw kubexmError('KX7024', { what: `image ${name}` });
      return image.reference;
    },
  };
}

/** `kubernetes-amd64`, `image-kube-proxy-amd64`: unique in a cluster, and readable. */
function nodeName(job: Job): string {
  const arch = job.arch === undefined ? [] : [job.arch];
  return (job.kind === 'image' ? ['image', job.image.name, ...arch] : [job.component, ...arch]).join('-');
}

function hostsOf(job: Job, item: Item): readonly string[] {
  if (job.kind === 'image') return job.image.hosts;
  const file = job.files.find((one) => Object.hasOwn(one.programs, item.name) || one.file === item.name);
  return file?.hosts ?? [];
}
