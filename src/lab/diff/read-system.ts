import type { Entries, Facet } from './types.ts';

/** A session, a mount and a device have a section of their own or come with every login. */
const UNIT_TYPES = /\.(?:service|socket|timer|path|slice|target|scope|swap|automount|mount)$/;

/** Units by name: whether they are enabled, masked or another name of a unit, and whether they are active or have failed. */
export function readUnits(links: string, units: string): Entries {
  const all = new Map<string, Record<string, string>>();
  const facet = (name: string): Record<string, string> => {
    const known = all.get(name) ?? {};
    all.set(name, known);
    return known;
  };
  for (const line of links.split('\n').filter(Boolean).sort()) {
    const [path = '', target = ''] = line.split('\t');
    const [name = '', dir = ''] = path.split('/').reverse();
    const where = path.startsWith('/run/') ? 'runtime' : 'yes';
    if (target === '/dev/null') facet(name)['masked'] = where;
    else if (/\.(?:wants|requires|upholds)$/.test(dir)) {
      const by = where === 'runtime' ? `${dir} (runtime)` : dir;
      const before = facet(name)['enabled'];
      facet(name)['enabled'] = before === undefined ? by : `${before}, ${by}`;
    } else facet(name)['link'] = target;
  }
  for (const [name = '', , active = '', sub = ''] of wordsOf(units)) {
    if (!UNIT_TYPES.test(name)) continue;
    const state = stateOf(name, active, sub);
    if (state !== undefined) facet(name)['state'] = state;
  }
  return all;
}

function stateOf(name: string, active: string, sub: string): string | undefined {
  if (active === 'failed') return 'failed';
  // A service that dies and is started again and again is never seen failed.
  if (sub === 'auto-restart') return 'restarting';
  // A mount is in the list of mounts.
  if (name.endsWith('.mount')) return undefined;
  return active === 'active' || active === 'reloading' ? 'active' : undefined;
}

/** What is mounted, by its place. */
export function readMounts(mountinfo: string): Entries {
  const all = new Map<string, Facet>();
  for (const line of mountinfo.split('\n').filter(Boolean)) {
    const [left = '', right = ''] = line.split(' - ', 2);
    const [, , , root = '', place = '', options = ''] = left.split(' ').map(unescaped);
    const [type = '', source = ''] = right.split(' ').map(unescaped);
    const access = options.split(',')[0] ?? '';
    const facet = { type, source, root: steady(root), access };
    let key = place;
    for (let n = 2; all.has(key); n++) key = `${place} #${n}`;
    all.set(key, facet);
  }
  return all;
}

/** Control groups that are no unit of systemd: what a runtime made by itself. Groups below such a group are not listed. */
export function readCgroups(text: string): Entries {
  const [first, ...rest] = text.split('\n').filter(Boolean);
  const unified = first === 'unified';
  const all = new Map<string, Facet>();
  for (const path of unified || first === undefined ? rest : [first, ...rest]) {
    // Without the unified hierarchy every controller has a tree of its own.
    const parts = path
      .replace(/^\/sys\/fs\/cgroup\//, '')
      .split('/')
      .slice(unified ? 0 : 1);
    const own = parts.findIndex((name) => !UNIT_TYPES.test(name));
    if (own >= 0) all.set(`/${parts.slice(0, own + 1).join('/')}`, {});
  }
  return all;
}

// nspawn binds files of random names, and removes them at once.
function steady(root: string): string {
  return root.replace(/\/\/deleted$/, '').replace(/^(\/\.#.*?)[0-9a-f]{16}$/, '$1');
}

/** Settings of the kernel that can be set, by their path below /proc/sys. */
export function readSysctls(text: string): Entries {
  const values = new Map<string, string>();
  for (const line of text.split('\n')) {
    const [, name, value = ''] = /^\/proc\/sys\/([^:]+):(.*)$/.exec(line) ?? [];
    if (name === undefined) continue;
    const before = values.get(name);
    const clean = value.trim().replaceAll(/\s+/g, ' ');
    values.set(name, before === undefined ? clean : `${before}\n${clean}`);
  }
  return new Map([...values].map(([name, value]) => [name, { value }]));
}

/** Modules that a machine sees and the box does not: the others are the box's. */
export function readModules(machine: string, box: string): Entries {
  const theirs = new Set(wordsOf(box).map(([name]) => name));
  const own = wordsOf(machine).filter(([name]) => !theirs.has(name));
  return new Map(own.map(([name = '']) => [name, {}]));
}

/** Swap areas by their file. */
export function readSwaps(text: string): Entries {
  const rows = wordsOf(text).filter(([name]) => name !== 'Filename');
  return new Map(
    rows.map(([name = '', type = '', size = '', , priority = '']) => [unescaped(name), { type, size, priority }]),
  );
}

/** A section of one value. */
export function readOne(name: string, text: string): Entries {
  return new Map([[name, { value: text.trim() }]]);
}

function wordsOf(text: string): string[][] {
  return text
    .split('\n')
    .map((line) => line.trim().split(/\s+/))
    .filter(([first]) => first !== '');
}

function unescaped(text: string): string {
  return text.replaceAll(/\\([0-7]{3})/g, (_, digits: string) => String.fromCharCode(Number.parseInt(digits, 8)));
}
