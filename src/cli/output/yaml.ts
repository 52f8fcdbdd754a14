/** A value of JSON as YAML, in blocks. Whatever YAML could take for something else is quoted. */
export function toYaml(value: unknown): string {
  return `${blockOf(JSON.parse(JSON.stringify(value ?? null)), '').replace(/^\n/, '')}\n`;
}

type Value = string | number | boolean | null | readonly Value[] | { readonly [key: string]: Value };

function blockOf(value: Value, indent: string): string {
  if (Array.isArray(value)) {
    if (value.length === 0) return ' []';
    return value.map((one: Value) => `\n${indent}-${itemOf(one, `${indent}  `)}`).join('');
  }
  if (value !== null && typeof value === 'object') {
    const entries = Object.entries(value);
    if (entries.length === 0) return ' {}';
    const of = (one: Value) => blockOf(one, Array.isArray(one) ? indent : `${indent}  `);
    return entries.map(([key, one]) => `\n${indent}${plain(key)}:${spaced(of(one))}`).join('');
  }
  return scalar(value as Exclude<Value, object>, indent);
}

// The first key of a mapping stands on the line of its dash.
function itemOf(value: Value, indent: string): string {
  const block = spaced(blockOf(value, indent));
  return !Array.isArray(value) && block.startsWith(`\n${indent}`) ? ` ${block.slice(indent.length + 1)}` : block;
}

function spaced(block: string): string {
  return block.startsWith('\n') || block.startsWith(' ') ? block : ` ${block}`;
}

// A number, a date, a bool in any spelling of YAML 1.1 or 1.2, null, or something with a sign of its own.
const PLAIN = /^[\p{L}_/][\p{L}\p{N}_./@+-]*(?: [\p{L}\p{N}_./@+-]+)*$/u;
const TAKEN = /^(?:y|n|yes|no|on|off|true|false|null|nan|inf|\.nan|\.inf)$/i;

function scalar(value: string | number | boolean | null, indent: string): string {
  if (typeof value !== 'string') return String(value);
  return value.includes('\n') && isPrintable(value) ? literal(value, indent) : plain(value);
}

function plain(value: string): string {
  return PLAIN.test(value) && !TAKEN.test(value) ? value : JSON.stringify(value);
}

function isPrintable(value: string): boolean {
  // A block cannot start with a space or an empty line.
  return !/[^\n\x20-\x7e\xa0-\ud7ff\ue000-\ufefe\uff00-\ufffd]|^\s| $|\u2028|\u2029/u.test(value);
}

function literal(value: string, indent: string): string {
  const body = value.replace(/\n$/, '');
  if (body.endsWith('\n')) return JSON.stringify(value);
  const inner = indent === '' ? '  ' : indent;
  const chomp = value.endsWith('\n') ? '' : '-';
  return `|${chomp}${body
    .split('\n')
    .map((line) => (line === '' ? '\n' : `\n${inner}${line}`))
    .join('')}`;
}
