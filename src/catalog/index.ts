export type { ArtifactNeed, BuildNeed, FileNeed, ImageNeed, PackageNeed } from '../model/catalog/need.ts';
export type { Arch, Catalog, Component } from '../model/catalog/schema.ts';
export { addVersion } from './add.ts';
export { findComponent } from './find.ts';
export { imageRepository } from './images.ts';
export { type CatalogText, parseCatalog } from './parse.ts';
export { catalogDirectory, readCatalog, readCatalogTexts } from './read.ts';
export { type ArchOf, resolveArtifacts } from './resolve.ts';
export { findZone, zoneOf } from './zone.ts';
