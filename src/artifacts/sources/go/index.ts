/** Builds programs from source, through the Go module proxy that the environment sets. */
export { goBuild, goBuildSource } from './build.ts';
export { goKey } from './key.ts';
export { missingForC, missingGo, unverifiable } from './missing.ts';
export { goModuleFiles } from './module-files.ts';
export { goPlaces, isDownloaded } from './places.ts';
