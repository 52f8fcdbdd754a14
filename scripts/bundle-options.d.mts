import type { BuildOptions } from 'esbuild';

/** How kubexm is bundled, by the build, by tests and by benchmarks. */
export declare const bundleOptions: BuildOptions;
