import { isUserName } from '../names.ts';
import { parseSubnet } from '../subnet.ts';
import { LAB_IMAGES } from '../types.ts';

type Check = (value: unknown) => boolean;

const isText: Check = (value) => typeof value === 'string';
const PHASES = ['making', 'ready', 'restoring', 'removing'];

/** What a record must have: paths, links and groups that are removed follow from it. */
const FIELDS: Readonly<Record<string, Check>> = {
  id: (value) => typeof value === 'string' && /^[0-9a-f]{6}$/.test(value),
  created: isText,
  phase: (value) => PHASES.includes(String(value)),
  image: (value) => LAB_IMAGES.some((image) => image === value),
  base: (value) => typeof value === 'string' && value.startsWith('/'),
  memoryBytes: (value) => value === undefined || typeof value === 'number',
  user: (value) => typeof value === 'string' && isUserName(value),
  sudoPassword: (value) => typeof value === 'boolean',
  subnet: (value) => typeof value === 'string' && parseSubnet(value) !== undefined,
  subnet6: (value) => value === undefined || isText(value),
  linkSalt: isText,
  port: (value) => Number.isInteger(value),
  sources: (value) => Array.isArray(value) && value.every((one) => isObject(one) && isText(one['uri'])),
};

/** Why something is no record of a lab of this name; undefined when it is one. */
export function recordProblem(value: unknown, name: string): string | undefined {
  if (!isObject(value)) return 'it is no object';
  if (value['version'] !== 1 || value['provider'] !== 'nspawn') return 'another version or program wrote it';
  if (value['name'] !== name) return `it is of lab ${JSON.stringify(value['name'])}`;
  const wrong = Object.entries(FIELDS).find(([field, check]) => !check(value[field]));
  if (wrong) return `its ${wrong[0]} is not valid`;
  const machines = value['machines'];
  const isMachine = (one: unknown): boolean => isObject(one) && one['name'] === `${name}-${String(one['index'])}`;
  return Array.isArray(machines) && machines.every(isMachine) ? undefined : 'its machines are not valid';
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
