// Everything that package-lock.json installs is verified: each entry has a digest, and nothing is installed that it does not name.
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const lock = JSON.parse(readFileSync(fileURLToPath(new URL('../package-lock.json', import.meta.url)), 'utf8'));
const problems = [];
const entries = Object.entries(lock.packages).filter(([path]) => path !== '');

for (const [path, one] of entries) {
  // What a package brings in its own archive is covered by the digest of that one.
  if (one.inBundle) continue;
  if (one.link) problems.push(`${path}: a link out of the checkout`);
  else if (!/^sha512-[A-Za-z0-9+/]{86}==/.test(one.integrity ?? '')) problems.push(`${path}: no sha512 integrity`);
}
if (entries.length < 20) problems.push(`only ${entries.length} packages were seen: that cannot be all`);
for (const problem of problems) console.error(`package-lock.json: ${problem}`);
if (problems.length > 0) console.error('Run `npm run relock` where the registry has these packages, or without them.');
console.log(`lock file: ${entries.length} packages, ${problems.length} problems`);
process.exitCode = problems.length > 0 ? 1 : 0;
