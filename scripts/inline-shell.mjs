// Puts the shell scripts beside the sources into the bundle: `new URL('./name.sh', import.meta.url)` becomes `{ text: '…' }`,
// which shellSource (src/host/shell-source.ts) takes too.
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

const NAMED = /new URL\('(\.{1,2}\/[^']+\.sh)', import\.meta\.url\)/g;

/** The source of a module with the scripts that it names inside it. */
export function withShell(path, source) {
  const whole = source.replace(NAMED, (_all, name) => {
    const text = readFileSync(join(dirname(path), name), 'utf8');
    return `{ text: ${JSON.stringify(text)} }`;
  });
  if (/new URL\([^()]*\.sh\b/.test(whole))
    throw new Error(`${path}: a script is named in a way that cannot be bundled`);
  return whole;
}

/** For esbuild. */
export const inlineShell = {
  name: 'inline-shell',
  setup(build) {
    build.onLoad({ filter: /\/src\/(host|step|lab)\/.*\.ts$/ }, ({ path }) => {
      const source = readFileSync(path, 'utf8');
      if (!source.includes('shellSource(')) return undefined;
      return { contents: withShell(path, source), loader: 'ts' };
    });
  },
};
