// Who may import whom: the table of the design. Everybody may import model and local. Tests may import what they like.

/** Folder → what it may import, beside itself, model and local. `types:` allows only `import type`. */
const layers = {
  model: [],
  local: [],
  plan: [],
  component: [],
  connector: [],
  host: ['connector'],
  pki: [],
  templates: [],
  http: [],
  'step/generic': ['plan', 'pki', 'component', 'templates', 'host/os', 'host/shell-source.ts', 'http', 'types:host'],
  step: ['step/generic', 'component', 'host', 'plan', 'pki', 'templates'],
  'artifacts/oci': ['http'],
  'artifacts/sources': ['artifacts/oci', 'artifacts/cache', 'http'],
  'artifacts/cache': ['artifacts/oci', 'artifacts/sources'],
  'artifacts/catalog': ['component', 'plan', 'step/generic'],
  'artifacts/handles': ['plan', 'step/generic', 'artifacts/catalog', 'artifacts/cache'],
  task: ['step', 'component', 'artifacts/handles', 'plan'],
  module: ['task', 'component', 'plan'],
  pipeline: ['module', 'component', 'plan'],
  observe: [],
  config: [],
  engine: ['plan', 'observe'],
  lab: ['connector', 'host'],
  state: ['config', 'connector', 'host', 'plan', 'observe', 'engine'],
  kubeconfig: ['state'],
  runtime: ['config', 'connector', 'host', 'plan', 'observe', 'engine', 'pki', 'artifacts', 'state'],
  cli: ['index.ts'],
};

/** Packages that only one folder knows. */
const owners = {
  ssh2: ['connector'],
  commander: ['cli'],
  '@bomb.sh/tab': ['cli'],
  '@clack/prompts': ['cli'],
  asn1js: ['pki'],
  pkijs: ['pki'],
  pino: ['observe'],
  'prom-client': ['observe'],
  zod: ['config', 'model'],
};

const tests = String.raw`\.test\.ts$|^src/.*/testing/`;
const escaped = (name) => name.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
const inside = (name) => (name.endsWith('.ts') ? `^src/${escaped(name)}$` : `^src/${name}/`);
/** `step` means the dedicated steps where a task names it: generic ones are none of its business. */
const allowed = (folder, name) => (folder === 'task' && name === 'step' ? '^src/step/(?!generic/)' : inside(name));

const layering = Object.entries(layers).flatMap(([folder, targets]) => {
  const from = { path: inside(folder), pathNot: folder === 'step' ? `${inside('step/generic')}|${tests}` : tests };
  const own = folder === 'step' ? '^src/step/(?!generic/)' : inside(folder);
  const plain = targets.filter((name) => !name.startsWith('types:'));
  const types = targets.filter((name) => name.startsWith('types:')).map((name) => inside(name.slice(6)));
  const always = [
    own,
    inside('model'),
    ...(folder === 'model' ? [] : [inside('local')]),
    ...plain.map((name) => allowed(folder, name)),
  ];
  const comment = `${folder} may import only ${['itself', 'model', 'local', ...targets].join(', ')}`;
  return [
    {
      name: `layer-${folder}`,
      comment,
      severity: 'error',
      from,
      // Data beside the sources belongs to nobody: package.json, for the version.
      to: { path: '^src/', pathNot: [...always, ...types].join('|') },
    },
    ...(types.length === 0
      ? []
      : [
          {
            name: `layer-${folder}-types`,
            comment,
            severity: 'error',
            from,
            // A folder inside that may be imported in full is named beside it.
            to: { path: types.join('|'), pathNot: always.join('|'), dependencyTypesNot: ['type-only'] },
          },
        ]),
  ];
});

const packages = Object.entries(owners).map(([name, folders]) => ({
  name: `only-${folders.join('-')}-uses-${name.replace(/\W+/g, '-')}`,
  comment: `${name} is known only to ${folders.join(', ')}`,
  severity: 'error',
  from: { path: '^src/', pathNot: [...folders.map(inside), tests].join('|') },
  to: { path: `(^|/)node_modules/${escaped(name)}(/|$)` },
}));

module.exports = {
  layers,
  forbidden: [
    ...layering,
    ...packages,
    {
      name: 'index-is-the-library',
      comment: 'only the command line and src/index.ts itself stand above the layers: nothing below imports them',
      severity: 'error',
      from: { path: '^src/', pathNot: `^src/(cli/|index\\.ts$)|${tests}` },
      to: { path: '^src/(cli/|index\\.ts$)' },
    },
    {
      name: 'no-circular',
      comment: 'two files that need each other are one idea, or one too many; types do not count',
      severity: 'error',
      from: { pathNot: tests },
      to: { circular: true, viaOnly: { dependencyTypesNot: ['type-only'] } },
    },
    {
      name: 'resolvable',
      comment: 'every import leads somewhere',
      severity: 'error',
      from: { path: '^src/' },
      to: { couldNotResolve: true, pathNot: String.raw`^node:|\.node$` },
    },
    {
      name: 'no-development-packages',
      comment: 'what users run imports only dependencies that they install',
      severity: 'error',
      from: { path: '^src/', pathNot: `${tests}|^src/.*every-event\\.ts$` },
      to: {
        dependencyTypes: ['npm-dev', 'npm-no-pkg', 'npm-unknown', 'undetermined'],
        dependencyTypesNot: ['type-only'],
      },
    },
  ],
  options: {
    tsConfig: { fileName: 'tsconfig.json' },
    tsPreCompilationDeps: true,
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['import', 'require', 'node', 'default', 'types'],
    },
    doNotFollow: { path: 'node_modules' },
  },
};
