// Writes the type declarations of the library into dist/types: of src/index.ts and of what its types are made of, nothing else.
// They may name only packages that users of kubexm install with it.
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { builtinModules } from 'node:module';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const dist = join(root, 'dist');
const { dependencies } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
const known = new Set([...Object.keys(dependencies), ...builtinModules.map((name) => `node:${name}`)]);
// Packages whose types come from a package of their own, which users do not have.
const untyped = Object.keys(dependencies).filter((name) => {
  const { types, typings, exports } = JSON.parse(
    readFileSync(join(root, 'node_modules', name, 'package.json'), 'utf8'),
  );
  return types === undefined && typings === undefined && !JSON.stringify(exports ?? {}).includes('.d.');
});

mkdirSync(dist, { recursive: true });
const made = mkdtempSync(join(dist, '.declarations-'));
try {
  const all = join(made, 'all');
  const tsc = join(root, 'node_modules', '.bin', 'tsc');
  execFileSync(tsc, ['-p', join(root, 'tsconfig.declarations.json'), '--outDir', all], { stdio: 'inherit' });
  const wrong = copyReachable(all, join(made, 'types'));
  if (wrong.length > 0) throw new Error(`types that users of the package do not have:\n  ${wrong.join('\n  ')}`);
  rmSync(join(dist, 'types'), { recursive: true, force: true });
  renameSync(join(made, 'types'), join(dist, 'types'));
} catch (error) {
  process.stderr.write(`declarations: ${error instanceof Error ? error.message : error}\n`);
  process.exitCode = 1;
} finally {
  rmSync(made, { recursive: true, force: true });
}

/** Copies index.d.ts and all that it leads to; returns imports that lead to a package nobody installs. */
function copyReachable(from, to) {
  const wrong = [];
  const queue = [join(from, 'index.d.ts')];
  const seen = new Set(queue);
  for (const file of queue) {
    const text = readFileSync(file, 'utf8').replaceAll(
      /(\b(?:from |import\()['"])([^'"\s]+)(?=['"](?:;|\)))/g,
      (_, start, name) => {
        if (!name.startsWith('.')) {
          const [scope, rest] = name.split('/');
          const pkg = scope.startsWith('@') ? `${scope}/${rest}` : scope.startsWith('node:') ? name : scope;
          if (!known.has(pkg) || untyped.includes(pkg)) wrong.push(`${relative(from, file)}: ${name}`);
          return start + name;
        }
        const target = join(dirname(file), name.replace(/\.ts$/, '.d.ts'));
        if (!seen.has(target)) {
          seen.add(target);
          queue.push(target);
        }
        return start + name.replace(/\.ts$/, '.js');
      },
    );
    const place = join(to, relative(from, file));
    mkdirSync(dirname(place), { recursive: true });
    writeFileSync(place, text);
  }
  return wrong;
}
