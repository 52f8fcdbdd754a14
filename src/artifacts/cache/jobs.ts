import type { ArtifactNeed } from '../../model/catalog/need.ts';
import type { Job } from './types.ts';

/** What a cluster needs, as jobs: the files of each component for each processor, and each image for each processor. */
export function jobsOf(needs: readonly ArtifactNeed[]): readonly Job[] {
  return needs.flatMap((need): readonly Job[] => {
    const { component, version, group, optional, builds, unbuilt } = need;
    if (version === undefined) return [];
    const about = { component, version, group, optional, ...(unbuilt === undefined ? {} : { unbuilt }) };
    const byArch = Map.groupBy(need.files, (file) => file.arch);
    const files = [...byArch].map(([arch, some]): Job => {
      const made = new Set(some.flatMap((file) => Object.keys(file.programs)));
      return {
        kind: 'files',
        ...about,
        ...(arch === undefined ? {} : { arch }),
        files: some,
        builds: builds.filter((build) => Object.keys(build.programs).some((name) => made.has(name))),
      };
    });
    const images = need.images.flatMap((image) =>
      image.arches.map((arch): Job => {
        const made = new Set(image.made?.programs ?? []);
        const used = builds.filter((build) => Object.keys(build.programs).some((name) => made.has(name)));
        return { kind: 'image', ...about, arch, image, builds: used };
      }),
    );
    return [...files, ...images];
  });
}
