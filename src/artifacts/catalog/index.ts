export type { Catalog } from '../../model/catalog/schema.ts';
export { addVersion } from './add.ts';
export { digestsText, publishedFiles } from './digests.ts';
export { findComponent } from './find.ts';
export { parseCatalog } from './parse.ts';
export { catalogDirectory, readCatalog, readCatalogTexts } from './read.ts';
export { catalogProblems, resolveArtifacts } from './resolve.ts';
export { zoneOf } from './zone.ts';
