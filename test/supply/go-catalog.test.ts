import { describe, expect, it } from 'vitest';
import { appliesTo } from '../../src/artifacts/catalog/check.ts';
import { readCatalog } from '../../src/artifacts/catalog/read.ts';
import { executableName } from '../../src/artifacts/sources/go/build.ts';

const catalog = await readCatalog();
const builds = [...catalog.components.values()].flatMap(({ component, builds: all }) =>
  all.map((build, at) => [`${component} ${build.versions ?? ''} ${at}`, build] as const),
);

describe.each(builds)('the recipe of %s', (_, build) => {
  it('builds programs that go gives different names, from its own modules', () => {
    const packages = Object.values(build.programs);
    expect(packages.length).toBeGreaterThan(0);
    expect(new Set(packages.map(executableName)).size).toBe(packages.length);
    for (const path of packages) {
      expect(build.modules.filter((module) => path === module || path.startsWith(`${module}/`))).not.toEqual([]);
    }
  });

  it('links statically where there is C, and names what it needs', () => {
    if (!build.cgo) return expect(build.needs).toEqual([]);
    expect(build.needs.slice(0, 2)).toEqual(['gcc', 'libc6-dev']);
    expect(build.ldflags).toEqual(expect.arrayContaining(['-linkmode external', '-extldflags -static']));
    expect(build.tags).toEqual(expect.arrayContaining(['netgo', 'osusergo']));
  });

  it('sets nothing that is another one tomorrow', () => {
    expect(build.ldflags.filter((flag) => /date/i.test(flag) && !flag.endsWith('=1970-01-01T00:00:00Z'))).toEqual([]);
  });
});

describe.each([...catalog.components.values()])(
  '$component',
  ({ files, images, builds: recipes, versions, unbuilt }) => {
    it('is built from source in every version, or says why not', () => {
      const left = versions.filter(({ version }) => {
        const built = recipes
          .filter((recipe) => appliesTo(recipe, version))
          .flatMap((one) => Object.keys(one.programs));
        const programs = files
          .filter((file) => appliesTo(file, version))
          .flatMap((file) => (file.kind === 'binary' ? [file.name] : Object.keys(file.programs)));
        const made = images.filter((image) => appliesTo(image, version)).map((image) => image.made?.programs);
        return made.includes(undefined) || [...programs, ...made.flat()].some((name) => !built.includes(name ?? ''));
      });
      expect(left.length > 0 && unbuilt === undefined ? left : []).toEqual([]);
    });
  },
);
