import fields from '../../../data/kubernetes/config-fields.json' with { type: 'json' };
import flags from '../../../data/kubernetes/flags.json' with { type: 'json' };
import { inRange } from '../catalog/range.ts';

/** A component of Kubernetes that takes flags. */
export type FlagComponent = keyof typeof flags.components;

/** A file that configures a component. */
export type ConfigKind = keyof typeof fields.kinds;

/** What values a flag or field takes. A list may be given several times; `any` is not looked at. */
export type ValueType = 'bool' | 'int' | 'number' | 'duration' | 'text' | 'texts' | 'bools' | 'list' | 'map' | 'any';

interface Setting {
  /** The versions that know it. */
  readonly known: string;
  readonly type: ValueType;
}

const tables = (data: object): ReadonlyMap<string, ReadonlyMap<string, Setting>> =>
  new Map(Object.entries(data).map(([name, table]) => [name, new Map(Object.entries<Setting>(table as never))]));
const FLAGS = tables(flags.components);
const FIELDS = tables(fields.kinds);

/** A flag without its dashes, or a field by its path: of any version; undefined if none knows it. */
export function settingOf(owner: FlagComponent | ConfigKind, name: string): Setting | undefined {
  return (FLAGS.get(owner) ?? FIELDS.get(owner))?.get(name);
}

/** Whether a version, without its `v`, knows a setting. */
export function knowsSetting(setting: Setting, version: string): boolean {
  return inRange(version, setting.known);
}

/** All flags or fields that a version knows. */
export function settingsOfVersion(owner: FlagComponent | ConfigKind, version: string): readonly string[] {
  const all = FLAGS.get(owner) ?? FIELDS.get(owner) ?? new Map<string, Setting>();
  return [...all].filter(([, setting]) => knowsSetting(setting, version)).map(([name]) => name);
}

/** A value of each type, for a remedy. */
export const EXAMPLE_VALUES: Readonly<Record<ValueType, string>> = {
  bool: 'true',
  int: '10',
  number: '0.5',
  duration: '30s',
  text: 'text',
  texts: '{name: text}',
  bools: '{Name: true}',
  list: '[a, b]',
  map: '{name: value}',
  any: 'value',
};

const DURATION = /^[-+]?(0|((\d+(\.\d*)?|\.\d+)(ns|us|µs|μs|ms|s|m|h))+)$/;

/** Whether Go reads a text as a value of a type. */
export function isFlagValue(text: string, type: ValueType): boolean {
  if (type === 'bool') return /^(1|0|t|f|T|F|true|false|TRUE|FALSE|True|False)$/.test(text);
  if (type === 'int') return /^[-+]?(0[xX][0-9a-fA-F]+|\d+)$/.test(text);
  if (type === 'duration') return DURATION.test(text);
  return type === 'number' ? text.trim() !== '' && Number.isFinite(Number(text)) : true;
}

/** Whether a value of a configuration file is of a type; nothing is of every type. */
export function isFieldValue(value: unknown, type: ValueType): boolean {
  if (value === null || value === undefined || type === 'any') return true;
  const isMap = typeof value === 'object' && !Array.isArray(value);
  const every = (kind: string): boolean => isMap && Object.values(value).every((one) => typeof one === kind);
  if (type === 'bool') return typeof value === 'boolean';
  if (type === 'int') return Number.isInteger(value);
  if (type === 'number') return typeof value === 'number';
  if (type === 'duration') return typeof value === 'string' && DURATION.test(value);
  if (type === 'text') return typeof value === 'string';
  if (type === 'list') return Array.isArray(value);
  if (type === 'texts') return every('string');
  return type === 'bools' ? every('boolean') : isMap;
}
