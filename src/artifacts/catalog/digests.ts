import type { FileNeed } from '../../model/catalog/need.ts';
import type { Catalog, CatalogDigests, Component } from '../../model/catalog/schema.ts';
import { appliesTo } from './check.ts';
import { resolveFile } from './resolve.ts';

/** A file of which the project publishes a digest. */
export interface PublishedFile {
  readonly component: string;
  readonly version: string;
  /** `any`: the same for all processors. */
  readonly arch: keyof CatalogDigests[string][string][string];
  /** With the digest that is known of it, if one is. */
  readonly need: FileNeed & Required<Pick<FileNeed, 'checksum'>>;
}

/** Every file of a component, of every version and for every processor, of which the project publishes a digest. */
export function publishedFiles(catalog: Catalog, component: Component): readonly PublishedFile[] {
  return component.versions.flatMap((entry) =>
    component.files
      .filter((file) => appliesTo(file, entry.version))
      .flatMap((file) => (file.arch.length === 0 ? [undefined] : file.arch).map((arch) => ({ file, arch })))
      .flatMap(({ file, arch }) => {
        const need = resolveFile(component, file, arch, entry, [], { digests: catalog.digests, zone: undefined });
        const { checksum } = need;
        if (checksum === undefined) return [];
        const { version } = entry;
        return [
          { component: component.component, version, arch: arch ?? ('any' as const), need: { ...need, checksum } },
        ];
      }),
  );
}

/** What is wrong with digests: of something that the catalog does not have, or that its project does not publish. */
export function checkDigests(catalog: Catalog): string[] {
  const known = pathsOf(catalog.digests);
  if (known.length === 0) return [];
  const published = new Set(
    [...catalog.components.values()].flatMap((component) => publishedFiles(catalog, component).map(pathOf)),
  );
  return known
    .filter((path) => !published.has(path))
    .map((path) => `digests: ${path} is no file whose project publishes a digest`);
}

/** The text of the file of digests, in the order of the catalog, with more of them. One that is known already stays. */
export function digestsText(
  catalog: Catalog,
  about: string,
  found: readonly (PublishedFile & { readonly digest: string })[],
): string {
  const digests: Record<string, Record<string, Record<string, Record<string, string>>>> = {};
  const more = new Map(found.map((one) => [pathOf(one), one.digest]));
  const components = [...catalog.components.values()].toSorted((a, b) => (a.component < b.component ? -1 : 1));
  for (const file of components.flatMap((component) => publishedFiles(catalog, component))) {
    const digest = file.need.digest ?? more.get(pathOf(file));
    if (digest === undefined) continue;
    const { component, version, arch } = file;
    const { name } = file.need;
    const ofVersion = digests[component]?.[version];
    digests[component] = {
      ...digests[component],
      [version]: { ...ofVersion, [name]: { ...ofVersion?.[name], [arch]: digest } },
    };
  }
  return `${JSON.stringify({ about, digests }, null, 2)}\n`;
}

function pathOf({ component, version, need, arch }: PublishedFile): string {
  return [component, version, need.name, arch].join(' ');
}

function pathsOf(digests: CatalogDigests): string[] {
  return Object.entries(digests).flatMap(([component, versions]) =>
    Object.entries(versions).flatMap(([version, files]) =>
      Object.entries(files).flatMap(([file, arches]) =>
        Object.keys(arches).map((arch) => [component, version, file, arch].join(' ')),
      ),
    ),
  );
}
