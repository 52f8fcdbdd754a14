import { inRange } from '../../model/catalog/range.ts';
import type { Component } from '../../model/catalog/schema.ts';
import { compareVersions } from '../../model/catalog/version.ts';
import { placeholders, versionValues } from './fill.ts';

type Entry = Component['versions'][number];

/** A part of a component that may hold for some versions only. */
interface Part {
  readonly name: string;
  readonly versions?: string | undefined;
}

/** What is wrong with a component by itself: order, gaps, templates, programs. */
export function checkComponent(component: Component): string[] {
  return [
    ...versionsInOrder(component),
    ...parts('files', component.files, component.versions),
    ...parts('images', component.images, component.versions),
    ...builds(component),
    ...templates(component),
    ...programs(component),
    ...sources(component),
  ];
}

function versionsInOrder({ versions }: Component): string[] {
  return versions.flatMap(({ version }, i) => {
    const before = versions[i - 1]?.version;
    if (before === undefined || compareVersions(before, version) < 0) return [];
    return [`versions: ${version} stands after ${before}`];
  });
}

/** Sorted by name; a name that stands twice is for other versions each time, and every version has it once. */
function parts(key: string, all: readonly Part[], versions: readonly Entry[]): string[] {
  const order = all.flatMap(({ name }, i) => {
    const before = all[i - 1]?.name;
    return before === undefined || before <= name ? [] : [`${key}: ${name} stands after ${before}`];
  });
  const held = [...new Set(all.map(({ name }) => name))].flatMap((name) =>
    versions.flatMap((entry) => {
      const count = all.filter((one) => one.name === name && appliesTo(one, entry.version)).length;
      return count === 1 ? [] : [`${key}: ${name} is there ${count} times for version ${entry.version}`];
    }),
  );
  return [...order, ...held];
}

/** A program is built in one way for a version. */
function builds({ builds: all, versions }: Component): string[] {
  return versions.flatMap(({ version }) => {
    const names = all.filter((one) => appliesTo(one, version)).flatMap((one) => Object.keys(one.programs));
    const twice = names.filter((name, i) => names.indexOf(name) !== i);
    return twice.map((name) => `builds: ${name} is built twice for version ${version}`);
  });
}

/** Every placeholder has a value for every version that the part holds for. */
function templates({ files, images, builds: recipes, versions }: Component): string[] {
  const used = [
    ...files.map((one) => ({
      at: `files: ${one.name}`,
      versions: one.versions,
      more: ['file', ...(one.arch.length > 0 ? ['arch'] : [])],
      texts: [one.from, one.file, 'file' in one.checksum ? one.checksum.file : '', ...Object.values(one.programs)],
    })),
    ...images.map((one) => ({ at: `images: ${one.name}`, versions: one.versions, more: [], texts: [one.tag] })),
    ...recipes.map((one) => ({
      at: 'builds',
      versions: one.versions,
      more: [],
      texts: [one.moduleVersion, ...one.ldflags, one.replace?.by ?? ''],
    })),
  ];
  const unknown = used.flatMap((part) => {
    const names = part.texts.flatMap(placeholders);
    return versions
      .filter((entry) => appliesTo(part, entry.version))
      .flatMap((entry) => {
        const known = new Set([...part.more, ...Object.keys(versionValues(entry))]);
        const missing = names.filter((name) => !known.has(name));
        return missing.map((name) => `${part.at}: {${name}} has no value for version ${entry.version}`);
      });
  });
  const alike = files
    .filter((one) => one.arch.length > 1 && !`${one.from}${one.file}`.includes('{arch}'))
    .map((one) => `files: ${one.name} is for several processors but does not name them`);
  return [...unknown, ...alike];
}

function programs({ files, images, builds: recipes }: Component): string[] {
  const built = new Set(recipes.flatMap((one) => Object.keys(one.programs)));
  const known = new Set(files.flatMap((one) => (one.kind === 'binary' ? [one.name] : Object.keys(one.programs))));
  const empty = files.filter((one) => one.kind !== 'archive' && Object.keys(one.programs).length > 0);
  const strange = files.length === 0 ? [] : [...built].filter((name) => !known.has(name) && !isWrapped(images, name));
  const missing = images.flatMap((one) => (one.made?.programs ?? []).filter((name) => !built.has(name)));
  return [
    ...empty.map((one) => `files: ${one.name} has programs but is no archive`),
    ...strange.map((name) => `builds: ${name} is in no file and no image`),
    ...missing.map((name) => `images: ${name} is built by nothing`),
  ];
}

function isWrapped(images: Component['images'], program: string): boolean {
  return images.some((one) => one.made?.programs.includes(program));
}

function sources({ files, images, packages, versions }: Component): string[] {
  const named = [...packages.debian, ...packages.rhel, ...packages.suse];
  if (files.length + images.length + named.length === 0) return ['it has neither files nor images nor packages'];
  if (versions.length > 0) return [];
  return files.length + images.length > 0 ? ['versions: there are none, but files or images'] : [];
}

/** Whether a part of a component holds for a version. */
export function appliesTo(part: { readonly versions?: string | undefined }, version: string): boolean {
  return part.versions === undefined || inRange(version, part.versions);
}
