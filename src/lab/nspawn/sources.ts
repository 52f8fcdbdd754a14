import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** A source of packages, as apt's configuration names it. */
export interface AptSource {
  readonly uri: string;
  readonly suites: readonly string[];
  readonly components: readonly string[];
  /** A path, fingerprints, or a key block as it stands in a .sources file. */
  readonly signedBy?: string;
  readonly trusted: boolean;
  /** `Enabled: no`: apt passes it over, but it says where something is. */
  readonly enabled: boolean;
}

const DEBIAN_SUITE =
  /^(bullseye|bookworm|trixie|forky|sid|oldoldstable|oldstable|stable|testing)(-updates|-security)?$/;

/** Reads a .sources file: paragraphs of fields, continued by indented lines. */
export function parseDeb822(text: string): readonly AptSource[] {
  return text.split(/\n(?:[ \t]*\n)+/).flatMap((paragraph) => {
    const fields = new Map<string, string>();
    let last = '';
    for (const line of paragraph.split('\n')) {
      if (line.startsWith('#')) continue;
      const field = /^([A-Za-z][\w-]*):[ \t]*(.*)$/.exec(line);
      if (field?.[1] !== undefined) {
        last = field[1].toLowerCase();
        fields.set(last, field[2] ?? '');
      } else if (/^[ \t]/.test(line) && last !== '') fields.set(last, `${fields.get(last)}\n${line}`);
    }
    const words = (name: string): readonly string[] => (fields.get(name) ?? '').split(/\s+/).filter(Boolean);
    if (!words('types').includes('deb')) return [];
    const signedBy = fields.get('signed-by')?.trim();
    return words('uris').map((uri) => ({
      uri: uri.replace(/\/+$/, ''),
      suites: words('suites'),
      components: words('components'),
      ...(signedBy && { signedBy }),
      trusted: isYes(fields.get('trusted')),
      enabled: !isNo(fields.get('enabled')),
    }));
  });
}

/** Reads a .list file: `deb [options] uri suite components…`. */
export function parseList(text: string): readonly AptSource[] {
  return text.split('\n').flatMap((line) => {
    const match = /^\s*deb\s+(?:\[([^\]]*)\]\s*)?(\S+)\s+(\S+)\s*([^#]*)/.exec(line);
    if (match?.[2] === undefined || match[3] === undefined) return [];
    const options = new Map((match[1] ?? '').split(/\s+/).map((one) => one.split('=', 2) as [string, string]));
    const signedBy = options.get('signed-by');
    return [
      {
        uri: match[2].replace(/\/+$/, ''),
        suites: [match[3]],
        components: (match[4] ?? '').split(/\s+/).filter(Boolean),
        ...(signedBy && { signedBy }),
        trusted: isYes(options.get('trusted')),
        enabled: true,
      },
    ];
  });
}

/** All sources that a directory such as /etc/apt names. */
export function readSources(dir: string): readonly AptSource[] {
  const parts = join(dir, 'sources.list.d');
  const names = existsSync(parts) ? readdirSync(parts).sort() : [];
  const files = [join(dir, 'sources.list'), ...names.map((name) => join(parts, name))];
  return files.flatMap((file) => {
    if (file.endsWith('.sources')) return parseDeb822(readFileSync(file, 'utf8'));
    return file.endsWith('.list') && existsSync(file) ? parseList(readFileSync(file, 'utf8')) : [];
  });
}

/**
 * Where a release of Debian comes from, by the box's own sources: those of the release itself if there are any, else those of
 * another release with the names replaced. Sources that are switched off count where no other does. Empty: there is no mirror.
 */
export function sourcesFor(sources: readonly AptSource[], codename: string): readonly AptSource[] {
  const debian = sources.filter(isDebian);
  for (const usable of [debian.filter((one) => one.enabled), debian]) {
    const own = usable.map((one) => withSuites(one, (suite) => suite.split('-')[0] === codename));
    const chosen = own.some(hasRelease(codename)) ? own : usable.map((one) => renamed(one, codename));
    const found = merge(chosen.filter((one) => one.suites.length > 0));
    if (found.some(hasRelease(codename))) return found;
  }
  return [];
}

/** A source as a paragraph of a .sources file. */
export function deb822(source: AptSource): string {
  const lines = [
    'Types: deb',
    `URIs: ${source.uri}`,
    `Suites: ${source.suites.join(' ')}`,
    `Components: ${source.components.join(' ')}`,
    ...(source.signedBy === undefined ? [] : [`Signed-By: ${source.signedBy}`]),
    ...(source.trusted ? ['Trusted: yes'] : []),
  ];
  return `${lines.join('\n')}\n`;
}

/** Debian itself, not somebody else's packages for it. */
function isDebian(source: AptSource): boolean {
  const ours = source.signedBy?.includes('debian-archive') || /\/debian(-security)?$/.test(source.uri);
  return ours === true && source.components.includes('main') && source.suites.some((suite) => DEBIAN_SUITE.test(suite));
}

function withSuites(source: AptSource, keep: (suite: string) => boolean): AptSource {
  return {
    ...source,
    suites: source.suites.filter((suite) => DEBIAN_SUITE.test(suite) && keep(suite)),
    components: ['main'],
  };
}

function renamed(source: AptSource, codename: string): AptSource {
  const suites = withSuites(source, () => true).suites.map((suite) => suite.replace(/^[a-z]+/, codename));
  return { ...source, suites: [...new Set(suites)], components: ['main'] };
}

function hasRelease(codename: string): (source: AptSource) => boolean {
  return (source) => source.suites.includes(codename);
}

/** .list files have a line per suite. */
function merge(sources: readonly AptSource[]): readonly AptSource[] {
  const merged = new Map<string, AptSource>();
  for (const source of sources) {
    const key = JSON.stringify([source.uri, source.signedBy, source.trusted]);
    const suites = [...new Set([...(merged.get(key)?.suites ?? []), ...source.suites])];
    merged.set(key, { ...source, suites, enabled: true });
  }
  return [...merged.values()];
}

function isYes(text: string | undefined): boolean {
  return /^(yes|true|1|on)$/i.test(text?.trim() ?? '');
}

function isNo(text: string | undefined): boolean {
  return /^(no|false|0|off)$/i.test(text?.trim() ?? '');
}
