import type { Plugin } from 'esbuild';

/** The source of a module with the scripts that it names inside it. */
export declare function withShell(path: string, source: string): string;

/** For esbuild. */
export declare const inlineShell: Plugin;
