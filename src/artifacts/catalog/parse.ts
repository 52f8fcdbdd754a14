import { parse } from 'yaml';
import {
  type Catalog,
  type CatalogDigests,
  type Component,
  componentSchema,
  digestsSchema,
  type Zone,
  zonesSchema,
} from '../../model/catalog/schema.ts';
import { kubexmError } from '../../model/errors/index.ts';
import { checkComponent } from './check.ts';
import { checkAgainstKubernetes } from './check-kubernetes.ts';
import { checkDigests } from './digests.ts';

/** A file of the catalog and its text. */
export interface CatalogText {
  readonly file: string;
  readonly text: string;
}

/** The file of regional mirrors. */
const ZONES_FILE = 'zones.yaml';
/** The file of digests; all others are components. */
export const DIGESTS_FILE = 'digests.json';

/** Reads and checks the catalog. */
export function parseCatalog(texts: readonly CatalogText[]): Catalog {
  const components = new Map<string, Component>();
  const zones = new Map<string, Zone>();
  let digests: CatalogDigests = {};
  for (const { file, text } of texts.toSorted((a, b) => (a.file < b.file ? -1 : 1))) {
    if (file === ZONES_FILE) {
      for (const [name, zone] of Object.entries(checked(file, zonesSchema, text).zones)) zones.set(name, zone);
    } else if (file === DIGESTS_FILE) {
      digests = checked(file, digestsSchema, text).digests;
    } else {
      const component = parseComponent(file, text);
      components.set(component.component, component);
    }
  }
  const kubernetes = components.get('kubernetes')?.versions.map((entry) => entry.version) ?? [];
  for (const component of components.values()) {
    refuse(`${component.component}.yaml`, checkAgainstKubernetes(component, kubernetes));
  }
  const catalog = { components, zones, digests };
  refuse(DIGESTS_FILE, checkDigests(catalog));
  return catalog;
}

/** Reads and checks one component, all but how it fits Kubernetes. */
export function parseComponent(file: string, text: string): Component {
  const component = checked(file, componentSchema, text);
  const named = file === `${component.component}.yaml` ? [] : [`component: is not the file's name`];
  refuse(file, [...named, ...checkComponent(component)]);
  return component;
}

interface Schema<T> {
  safeParse(value: unknown):
    | { readonly success: true; readonly data: T }
    | {
        readonly success: false;
        readonly error: {
          readonly issues: readonly { readonly path: readonly PropertyKey[]; readonly message: string }[];
        };
      };
}

function checked<T>(file: string, schema: Schema<T>, text: string): T {
  const result = schema.safeParse(yamlOf(file, text));
  if (result.success) return result.data;
  refuse(
    file,
    result.error.issues.map((issue) => `${issue.path.map(String).join('.') || 'the document'}: ${issue.message}`),
  );
  throw kubexmError('KX7001', { file, detail: 'it does not have the form of the catalog' });
}

function yamlOf(file: string, text: string): unknown {
  try {
    return file.endsWith('.json') ? JSON.parse(text) : parse(text);
  } catch (error) {
    const [line = ''] = (error as Error).message.split('\n');
    throw kubexmError('KX7001', { file, detail: line }, { cause: error });
  }
}

function refuse(file: string, problems: readonly string[]): void {
  const [first, ...others] = problems;
  if (first === undefined) return;
  throw kubexmError('KX7001', { file, detail: first }, others.length === 0 ? {} : { detail: others.join('\n') });
}
