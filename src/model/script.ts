/** A POSIX shell script whose interpolated values are quoted. Make one with `sh`. */
export interface Script {
  readonly script: string;
}

type Value = string | number | Script | readonly (string | number)[];

/** One word, quoted so that a POSIX shell takes it literally. */
export function quote(word: string): string {
  if (word.includes('\0')) throw new TypeError('a shell word cannot contain a NUL byte');
  return /^[A-Za-z0-9_@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}

/** Builds a script: strings and numbers become one quoted word each, lists become words, scripts are spliced as they are. */
export function sh(parts: TemplateStringsArray, ...values: readonly Value[]): Script {
  let script = parts[0] ?? '';
  values.forEach((value, i) => {
    script += render(value) + (parts[i + 1] ?? '');
  });
  return { script };
}

/** A script taken as it is: for text that the user wrote as shell. */
export function rawScript(text: string): Script {
  return { script: text };
}

/** Scripts one after the other, each on its own line. */
export function lines(...scripts: readonly Script[]): Script {
  return { script: scripts.map((one) => one.script).join('\n') };
}

function render(value: Value): string {
  if (typeof value === 'string') return quote(value);
  if (typeof value === 'number') return String(value);
  if ('script' in value) return value.script;
  return value.map((word) => quote(String(word))).join(' ');
}
