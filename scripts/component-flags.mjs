// Writes data/kubernetes/flags.json and data/kubernetes/config-fields.json: which flags every minor version of Kubernetes in the
// catalog knows, by component, and which fields its configuration files have. Both are read from the sources, which the module
// proxy has: nothing is compiled. It needs Go for the download and takes some minutes; run it after a minor version was added to
// the catalog:
//   node scripts/component-flags.mjs
import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parse } from 'yaml';

const root = fileURLToPath(new URL('..', import.meta.url));

const SERVING = ['apiserver/pkg/server/options'];
const SHARED = ['component-base'];
/** Where the flags of each component are registered: modules of k8s.io, and folders in them. */
const COMPONENTS = {
  'kube-apiserver': [
    'kubernetes/cmd/kube-apiserver',
    'kubernetes/pkg/controlplane/apiserver/options',
    'kubernetes/pkg/kubeapiserver/options',
    'kubernetes/plugin/pkg/admission',
    'apiserver/pkg',
    ...SHARED,
  ],
  'kube-controller-manager': [
    'kubernetes/cmd/kube-controller-manager',
    'controller-manager',
    'cloud-provider',
    ...SERVING,
    ...SHARED,
  ],
  'kube-scheduler': ['kubernetes/cmd/kube-scheduler', ...SERVING, ...SHARED],
  'kube-proxy': ['kubernetes/cmd/kube-proxy', ...SHARED],
  kubelet: ['kubernetes/cmd/kubelet', 'kubernetes/pkg/kubelet/config', ...SHARED],
};
/** The name is the second argument: a text, a constant, or a text with the kind of a backend in it. */
const REGISTRATION =
  /\.(\w*)Var(?:P|PF)?\(\s*(?:[^,()"]|\((?:[^()"]|\([^()"]*\))*\))+,\s*("[^"]+"|fmt\.Sprintf\("[^"]+"|\w+)/g;

const MODULES = [
  'kubernetes',
  'apiserver',
  'component-base',
  'controller-manager',
  'cloud-provider',
  'kubelet',
  'kube-proxy',
];

const { versions: listed } = parse(readFileSync(join(root, 'data/catalog/kubernetes.yaml'), 'utf8'));
const minors = Map.groupBy(
  listed.map((one) => one.version ?? one),
  (version) => version.split('.')[1],
);
// Patches add no flags: the last one of each minor stands for all.
const releases = [...minors.values()].map((versions) => ({ version: versions.at(-1), at: download(versions) }));

const flags = Object.fromEntries(
  Object.entries(COMPONENTS).map(([component, folders]) => [
    component,
    ranges(
      releases.map(({ at }) =>
        flagsIn(folders.map((folder) => join(at(folder.split('/')[0]), ...folder.split('/').slice(1)))),
      ),
    ),
  ]),
);
const fields = Object.fromEntries(
  Object.entries({
    KubeletConfiguration: { module: 'kubelet', file: 'config/v1beta1/types.go' },
    KubeProxyConfiguration: { module: 'kube-proxy', file: 'config/v1alpha1/types.go' },
  }).map(([kind, { module, file }]) => [
    kind,
    ranges(releases.map(({ at }) => fieldsOf(kind, structsIn([join(at(module), file), ...sharedTypes(at)])))),
  ]),
);
write('flags', 'Which versions of Kubernetes know a flag, by component, and what its value is.', { components: flags });
write('config-fields', 'Which versions of Kubernetes know a field of a configuration file, and what its value is.', {
  kinds: fields,
});

/** Where the modules of a minor version are. The proxy does not have every patch of every module: then an earlier one does. */
function download(versions) {
  const tried = [versions.at(-1), versions.at(-2), versions[Math.floor(versions.length / 2)], versions[0]];
  const places = new Map();
  for (const version of new Set(tried.filter(Boolean))) {
    for (const { Path, Dir } of downloaded(
      version,
      MODULES.filter((name) => !places.has(name)),
    )) {
      if (Dir !== undefined) places.set(Path.replace('k8s.io/', ''), Dir);
    }
    console.error(version, [...places.keys()].join(' '));
    if (places.size === MODULES.length) break;
  }
  return (module) => places.get(module) ?? join(root, 'missing', module);
}

function downloaded(version, modules) {
  const dir = mkdtempSync(join(tmpdir(), 'kubexm-flags-'));
  writeFileSync(join(dir, 'go.mod'), 'module flags\n');
  const names = modules.map(
    (name) => `k8s.io/${name}@${name === 'kubernetes' ? `v${version}` : `v0.${version.slice(2)}`}`,
  );
  // It fails if one of them is missing, and names the others all the same.
  const { stdout } = spawnSync('go', ['mod', 'download', '-json', ...names], { cwd: dir, encoding: 'utf8' });
  rmSync(dir, { recursive: true });
  return JSON.parse(`[${stdout.trim().replaceAll(/\n}\s*\n{/g, '\n},\n{')}]`);
}

function goFiles(path) {
  if (!existsSync(path)) return [];
  if (statSync(path).isFile()) return [path];
  return readdirSync(path, { withFileTypes: true }).flatMap((entry) => {
    if (entry.isDirectory())
      return /^(testing|testdata|test|kube-log-runner)$/.test(entry.name) ? [] : goFiles(join(path, entry.name));
    return /\.go$/.test(entry.name) && !/_(test|windows|others?)\.go$/.test(entry.name) ? [join(path, entry.name)] : [];
  });
}

/** Flag → type, of all files that register flags in some folders. */
function flagsIn(folders) {
  const found = new Map([
    ['help', 'bool'],
    ['version', 'any'],
  ]);
  for (const file of folders.flatMap(goFiles)) {
    const text = readFileSync(file, 'utf8');
    if (!/flag/i.test(text)) continue;
    const constants = new Map(
      [...text.matchAll(/\b(\w+)\s*(?:string\s*)?=\s*"([^"\n]+)"/g)].map(([, name, value]) => [name, value]),
    );
    for (const [, type, name] of text.matchAll(REGISTRATION)) {
      for (const one of namesOf(name, constants)) found.set(one.replaceAll('_', '-'), typeOf(type));
    }
    for (const [, name] of text.matchAll(
      /\b(?:[rR]egister|registerDeprecated|RegisterDeprecated)\([^"\n]*"([^"]+)"/g,
    )) {
      found.set(name.replaceAll('_', '-'), 'text');
    }
    // Names that cadvisor has as constants: HousekeepingInterval.
    for (const [, name] of text.matchAll(/\bregister\(global, local, cadvisorflags\.(\w+)\)/g)) {
      found.set(name.replaceAll(/(?<=.)(?=[A-Z])/g, '-').toLowerCase(), 'text');
    }
  }
  return Object.fromEntries([...found].filter(([name]) => /^[a-z][a-z0-9.-]*$/.test(name)));
}

function namesOf(name, constants) {
  if (name === undefined) return [];
  const [, text] = /^"(.*)"$/.exec(name) ?? [];
  if (text !== undefined) return [text];
  const [, pattern] = /Sprintf\("(.*)"$/.exec(name) ?? [];
  if (pattern !== undefined) return ['log', 'webhook'].map((kind) => pattern.replace('%s', kind));
  return constants.has(name) ? [constants.get(name)] : [];
}

/** What can be checked of a value. A list may be given several times. */
function typeOf(type) {
  if (/Slice|Array|Map/.test(type)) return 'list';
  if (/^Bool$/.test(type)) return 'bool';
  if (/^U?[Ii]nt(8|16|32|64)?$/.test(type)) return 'int';
  if (/^Duration$/.test(type)) return 'duration';
  return /^Float/.test(type) ? 'number' : type === 'String' ? 'text' : 'any';
}

function sharedTypes(at) {
  return ['config/v1alpha1/types.go', 'logs/api/v1/types.go', 'tracing/api/v1/types.go'].map((file) =>
    join(at('component-base'), file),
  );
}

/** Struct → fields, and name of a type → what it is. */
function structsIn(files) {
  const structs = new Map();
  const named = new Map();
  for (const text of files.filter(existsSync).map((file) => readFileSync(file, 'utf8'))) {
    for (const [, name, body] of text.matchAll(/^type (\w+) struct \{\n([\s\S]*?)^\}/gm)) {
      structs.set(
        name,
        [...body.matchAll(/^\s*(?:\w+\s+)?(\S+)\s+`json:"([^",]*)[^"]*"/gm)].map(([, type, field]) => ({
          type,
          field,
        })),
      );
    }
    for (const [, name, type] of text.matchAll(/^type (\w+) (string|int32|bool|map\S+)$/gm)) named.set(name, type);
  }
  return { structs, named };
}

/** Path of a field → type. */
function fieldsOf(kind, known, prefix = '') {
  const own = known.structs.get(kind) ?? [];
  const entries = own.flatMap(({ type, field }) => {
    const bare = type.replace(/^\*/, '').replace(/^\w+\./, '');
    if (bare === 'TypeMeta' || field === '-') return [];
    // One number, or text with a unit: it reads itself.
    if (bare === 'TimeOrMetaDuration') return [[`${prefix}${field}`, 'any']];
    if (field === '') return Object.entries(fieldsOf(bare, known, prefix));
    const path = `${prefix}${field}`;
    if (known.structs.has(bare)) return [[path, 'map'], ...Object.entries(fieldsOf(bare, known, `${path}.`))];
    return [[path, valueType(known.named.get(bare) ?? type)]];
  });
  return Object.fromEntries(entries);
}

function valueType(type) {
  const bare = type.replace(/^\*/, '').replace(/^\w+\./, '');
  if (bare.startsWith('[]')) return 'list';
  if (bare === 'map[string]string') return 'texts';
  if (bare === 'map[string]bool') return 'bools';
  if (bare.startsWith('map[')) return 'map';
  if (bare === 'bool') return 'bool';
  if (bare === 'Duration') return 'duration';
  if (/^u?int\d*$/.test(bare)) return 'int';
  return /^float/.test(bare) ? 'number' : bare === 'string' ? 'text' : 'any';
}

/** Name → the versions that know it, as a range of the catalog that is open where that ends, and its type. */
function ranges(tables) {
  const names = [...new Set(tables.flatMap((table) => Object.keys(table)))].sort();
  const minor = (i) => releases[i].version.split('.').slice(0, 2).join('.');
  return Object.fromEntries(
    names.map((name) => {
      const has = (i) => Object.hasOwn(tables[i], name);
      const parts = [];
      let part = [];
      tables.forEach((_, i) => {
        if (has(i) && i > 0 && !has(i - 1)) part = [`>=${minor(i)}`];
        if (has(i) && i === tables.length - 1) parts.push(part.join(' ') || '*');
        if (!has(i) && i > 0 && has(i - 1)) {
          parts.push([...part, `<${minor(i)}`].join(' '));
          part = [];
        }
      });
      const types = [...new Set(tables.filter((table) => Object.hasOwn(table, name)).map((table) => table[name]))];
      return [name, { known: parts.join(' || '), type: types.length === 1 ? types[0] : 'any' }];
    }),
  );
}

function write(name, about, content) {
  const file = join(root, 'data/kubernetes', `${name}.json`);
  const lines = JSON.stringify({
    about: `${about} Made by scripts/component-flags.mjs.`,
    upTo: releases.at(-1).version,
    ...content,
  });
  writeFileSync(file, lines);
  execFileSync(join(root, 'node_modules/.bin/biome'), ['format', '--write', file], { stdio: 'inherit' });
}
