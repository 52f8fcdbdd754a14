// Writes data/kubernetes/feature-gates.json: what every version of Kubernetes in the catalog says about its feature gates.
// For each version a small Go program asks the code that all components share. It needs Go and a module proxy. Run it after a
// version was added to the catalog; minors that the file covers are not asked again, unless with --all, which takes a quarter of an hour:
//   node scripts/feature-gates.mjs [--all]
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { isDeepStrictEqual } from 'node:util';
import { parse } from 'yaml';
import { inRange } from '../src/model/catalog/range.ts';

const root = fileURLToPath(new URL('..', import.meta.url));
const file = join(root, 'data/kubernetes/feature-gates.json');

// What the API server, the controller manager, the scheduler, the kubelet and kube-proxy all register.
const PROGRAM = `package main

import (
	"encoding/json"
	"os"

	utilfeature "k8s.io/apiserver/pkg/util/feature"
	logs "k8s.io/component-base/logs/api/v1"
	metrics "k8s.io/component-base/metrics/features"
	_ "k8s.io/kubernetes/pkg/features"
)

func main() {
	gates := utilfeature.DefaultMutableFeatureGate
	if err := logs.AddFeatureGates(gates); err != nil {
		panic(err)
	}
	if err := metrics.AddFeatureGates(gates); err != nil {
		panic(err)
	}
	_ = json.NewEncoder(os.Stdout).Encode(gates.GetAll())
}
`;

const { versions: listed } = parse(readFileSync(join(root, 'data/catalog/kubernetes.yaml'), 'utf8'));
const minorOf = (version) => version.split('.').slice(0, 2).join('.');
const minors = Map.groupBy(
  listed.map((one) => one.version ?? one),
  minorOf,
);
const written = process.argv.includes('--all') ? undefined : JSON.parse(readFileSync(file, 'utf8'));
const covered = (versions) => written !== undefined && inRange(versions.at(-1), `<=${written.upTo}`);
const rows = [...minors.values()].flatMap((versions) =>
  covered(versions) ? versions.map(row) : gatesOfMinor(versions),
);
const names = [...new Set(rows.flatMap(({ gates }) => Object.keys(gates)))].sort();
const lines = names.map((name) => `    ${JSON.stringify(name)}: ${JSON.stringify(describe(name))}`);
const about =
  'Which versions of Kubernetes know a feature gate, and in which it is locked on or off. Made by scripts/feature-gates.mjs.';
mkdirSync(join(root, 'data/kubernetes'), { recursive: true });
writeFileSync(
  file,
  `{\n  "about": "${about}",\n  "upTo": "${rows.at(-1).version}",\n  "gates": {\n${lines.join(',\n')}\n  }\n}\n`,
);
execFileSync(join(root, 'node_modules/.bin/biome'), ['format', '--write', file], { stdio: 'inherit' });

/** What the file says about a version. */
function row(version) {
  const holds = (range) => range !== undefined && inRange(version, range);
  const known = Object.entries(written.gates).filter(([, gate]) => holds(gate.known));
  const state = (gate) => (holds(gate.on) ? 'on' : holds(gate.off) ? 'off' : 'free');
  return { version, gates: Object.fromEntries(known.map(([name, gate]) => [name, state(gate)])) };
}

/** The gates of all versions of a minor. Few patches change any: what is the same at both ends is so in between. */
function gatesOfMinor(versions) {
  const known = new Map();
  between(0, versions.length - 1);
  // A version that cannot be downloaded is treated like the one after it: it is better to allow too much than to refuse what is right.
  const like = (i) => versions.slice(i).find((one) => known.get(one)) ?? versions.findLast((one) => known.get(one));
  return versions.map((version, i) => ({ version, gates: known.get(like(i)) }));

  function between(low, high) {
    const [first, second] = [gatesOf(versions[low], known), gatesOf(versions[high], known)];
    if (high - low < 2) return;
    if (first !== undefined && isDeepStrictEqual(first, second)) return;
    const middle = Math.floor((low + high) / 2);
    between(low, middle);
    between(middle, high);
  }
}

/** Gate → free, on or off: the last two are locked. Undefined if the module proxy does not have the version. */
function gatesOf(version, known) {
  if (known.has(version)) return known.get(version);
  const dir = mkdtempSync(join(tmpdir(), 'kubexm-gates-'));
  const go = (...args) =>
    execFileSync('go', args, { cwd: dir, encoding: 'utf8', env: { ...process.env, GOFLAGS: '-mod=mod' } });
  try {
    writeFileSync(join(dir, 'main.go'), PROGRAM);
    writeFileSync(join(dir, 'go.mod'), 'module gates\n');
    const { GoMod } = JSON.parse(go('mod', 'download', '-json', `k8s.io/kubernetes@v${version}`));
    const requirements = readFileSync(GoMod, 'utf8');
    // Staging modules are required at v0.0.0, and published as v0.<minor>.<patch>.
    const staging = [...requirements.matchAll(/^\s*(k8s\.io\/\S+) v0\.0\.0$/gm)].map(([, name]) => name);
    const replacements = staging.map((name) => `replace ${name} => ${name} v0.${version.slice(2)}\n`);
    const [language] = /^go .*$/m.exec(requirements) ?? [];
    const module = `module gates\n\n${language}\n\nrequire k8s.io/kubernetes v${version}\n\n${replacements.join('')}`;
    writeFileSync(join(dir, 'go.mod'), module);
    const all = Object.entries(JSON.parse(go('run', '.')));
    const gates = all.map(([name, { Default, LockToDefault }]) => [
      name,
      LockToDefault ? (Default ? 'on' : 'off') : 'free',
    ]);
    known.set(version, Object.fromEntries(gates));
    console.error(`${version}: ${gates.length} gates`);
  } catch (error) {
    console.error(`${version}: ${error.message}`);
    known.set(version, undefined);
  } finally {
    rmSync(dir, { recursive: true });
  }
  return known.get(version);
}

function describe(name) {
  const range = (states) => rangeOf((gates) => Object.hasOwn(gates, name) && states.includes(gates[name]));
  const [known, on, off] = [range(['free', 'on', 'off']), range(['on']), range(['off'])];
  return { known, ...(on === '' ? {} : { on }), ...(off === '' ? {} : { off }) };
}

/** The versions for which something holds, as a range of the catalog. It is open where the catalog ends. */
function rangeOf(holds) {
  const bound = (version) => version.replace(/\.0$/, '');
  const parts = [];
  let part = [];
  rows.forEach(({ version, gates }, i) => {
    const before = i > 0 && holds(rows[i - 1].gates);
    if (holds(gates) && !before && i > 0) part.push(`>=${bound(version)}`);
    if (!holds(gates) && before) part.push(`<${bound(version)}`);
    if ((!holds(gates) && before) || (holds(gates) && i === rows.length - 1)) parts.push(part);
    if (!holds(gates)) part = [];
  });
  return parts.map((one) => one.join(' ') || '*').join(' || ');
}
