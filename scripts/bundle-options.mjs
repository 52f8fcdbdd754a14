import { inlineShell } from './inline-shell.mjs';

// Packages in CommonJS expect these three.
const banner = [
  "import { createRequire as kubexmRequire } from 'node:module';",
  "import { fileURLToPath as kubexmPath } from 'node:url';",
  'const require = kubexmRequire(import.meta.url);',
  'const __filename = kubexmPath(import.meta.url);',
  "const __dirname = kubexmPath(new URL('.', import.meta.url));",
].join('\n');

/** How kubexm is bundled, by the build, by tests and by benchmarks. */
export const bundleOptions = {
  bundle: true,
  platform: 'node',
  format: 'esm',
  target: 'node22',
  legalComments: 'none',
  banner: { js: banner },
  // ssh2 works without its native parts, and a bundle cannot carry them.
  external: ['cpu-features', '*.node'],
  plugins: [inlineShell],
  logLevel: 'warning',
};
