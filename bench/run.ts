import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './lib/bundle.ts';
import { machineLine } from './lib/machine.ts';
import { documentText, sectionText } from './lib/report.ts';
import { sections } from './sections/index.ts';

const FILE = join(root, 'docs', 'benchmarks.md');

const asked = process.argv.slice(2);
const unknown = asked.filter((name) => !sections.some((section) => section.name === name));
if (unknown.length > 0) {
  const names = sections.map((section) => section.name).join(', ');
  process.stderr.write(`there is no section ${unknown.join(', ')}; there are ${names}\n`);
  process.exit(64);
}

// Ends the way an exit does: what was made is removed. Machines take longer than an exit may.
for (const signal of ['SIGINT', 'SIGTERM'] as const)
  process.once(signal, () => {
    const remover = join(import.meta.dirname, 'children', 'remove-labs.ts');
    spawn(process.execPath, [remover, String(process.pid)], { detached: true, stdio: 'ignore' }).unref();
    process.exit(130);
  });

const texts = new Map<string, string>();
let missed = 0;
let failed = 0;
for (const section of sections) {
  if (asked.length > 0 && !asked.includes(section.name)) continue;
  if (section.takes !== undefined && asked.length === 0) {
    process.stderr.write(`${section.name}: takes ${section.takes}: only when it is named\n`);
    continue;
  }
  const problem = section.problem?.();
  if (problem !== undefined) {
    process.stderr.write(`${section.name}: skipped: ${problem}\n`);
    continue;
  }
  process.stderr.write(`${section.name}: measuring\n`);
  try {
    const findings = await section.run();
    const text = sectionText(section, findings);
    process.stdout.write(`\n${text}\n\n`);
    if (findings.partial !== true) texts.set(section.name, text);
    missed += findings.rows.filter((row) => row.met === false).length;
  } catch (error) {
    // The others are worth having all the same.
    failed++;
    process.stderr.write(`${section.name}: failed: ${error instanceof Error ? error.message : String(error)}\n`);
  }
}
mkdirSync(join(root, 'docs'), { recursive: true });
const before = existsSync(FILE) ? readFileSync(FILE, 'utf8') : '';
writeFileSync(FILE, documentText(machineLine(), sections, texts, before));
process.stderr.write(`${missed} targets missed, ${failed} sections failed; written to docs/benchmarks.md\n`);
process.exitCode = missed + failed === 0 ? 0 : 1;
