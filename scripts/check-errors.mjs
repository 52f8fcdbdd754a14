// Checks the error catalogue: the texts of data/errors use exactly the parameters that src/model/errors declares, in both languages;
// every code is declared once, has texts, and is used somewhere.
import { globSync, readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));

/** Codes that only events of earlier versions have: they are still shown. */
const RETIRED = new Set(['KX4011']);

/** What is wrong with the catalogue, one line each. */
export async function errorProblems() {
  const { catalogue } = await import(join(root, 'src/model/errors/index.ts'));
  const problems = [];
  const texts = new Map();
  for (const file of readdirSync(join(root, 'data/errors'))) {
    for (const [code, { title, remedy }] of Object.entries(readJson(join(root, 'data/errors', file)))) {
      const place = `data/errors/${file}: ${code}`;
      if (texts.has(code)) problems.push(`${place} is in ${texts.get(code)} too`);
      texts.set(code, file);
      const declared = catalogue[code];
      if (declared === undefined || declared.title.en !== title.en) {
        problems.push(`${place} is not declared in src/model/errors, or its file is not in texts.ts`);
        continue;
      }
      for (const lang of ['en', 'zh']) {
        if (!title[lang] || !remedy[lang]) problems.push(`${place} has no ${lang} title or remedy`);
        const used = paramsOf(`${title[lang]} ${remedy[lang]}`);
        const wanted = [...declared.params].sort();
        if (used.join() !== wanted.join())
          problems.push(`${place} (${lang}) uses {${used.join('} {')}}, declared is {${wanted.join('} {')}}`);
      }
    }
  }
  const mentioned = codesUsed();
  for (const code of Object.keys(catalogue)) {
    if (!texts.has(code)) problems.push(`src/model/errors: ${code} has no texts in data/errors`);
    if (!mentioned.has(code) && !RETIRED.has(code)) problems.push(`src/model/errors: ${code} is used nowhere`);
  }
  return problems;
}

/** The names in braces that are parameters of a text. */
function paramsOf(text) {
  return [...new Set([...text.matchAll(/\{(\w+)\}/g)].map(([, name]) => name))].sort();
}

/** Codes that the sources name, tests and the catalogue itself aside. */
function codesUsed() {
  const files = globSync('src/**/*.ts', { cwd: root }).filter(
    (file) =>
      !file.endsWith('.test.ts') && (!file.startsWith('src/model/errors/') || basename(file) === 'refused-host.ts'),
  );
  return new Set(files.flatMap((file) => readFileSync(join(root, file), 'utf8').match(/\bKX\d{4}\b/g) ?? []));
}

function readJson(file) {
  return JSON.parse(readFileSync(file, 'utf8'));
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const problems = await errorProblems();
  for (const problem of problems) process.stderr.write(`${problem}\n`);
  process.stdout.write(`errors: ${problems.length} problems\n`);
  process.exitCode = problems.length > 0 ? 1 : 0;
}
