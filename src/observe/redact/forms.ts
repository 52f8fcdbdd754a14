/** A secret as it may look in some text. `inner`: the part of an encoding that does not depend on what surrounds it. */
export interface Form {
  readonly text: string;
  readonly inner: boolean;
}

const INNER_MIN = 6;

/** Every way in which a secret usually gets written: plain, quoted for a shell, JSON, YAML or a URL, and in base64. */
export function formsOf(secret: string): readonly Form[] {
  const json = JSON.stringify(secret).slice(1, -1);
  const exact = [
    secret,
    json,
    JSON.stringify(json).slice(1, -1),
    json.replace(/[<>&]/g, (c) => `\\u00${c.charCodeAt(0).toString(16)}`),
    json.replaceAll('/', '\\/'),
    secret.replaceAll("'", "''"),
    ...shellForms(secret),
    ...urlForms(secret),
    ...base64Exact(secret),
  ];
  const forms = new Map(exact.map((text) => [text, false]));
  for (const text of base64Inner(secret)) if (!forms.has(text)) forms.set(text, true);
  return [...forms].map(([text, inner]) => ({ text, inner }));
}

/** The lines of a secret such as a private key, for output that is read line by line. Frames like `-----BEGIN` are no secret. */
export function secretLines(secret: string): readonly string[] {
  if (!/[\r\n]/.test(secret)) return [];
  return secret
    .split(/[\r\n]+/)
    .map((line) => line.trim())
    .filter((line) => !/^-----(BEGIN|END) [A-Z0-9 ]+-----$/.test(line) && /[A-Za-z0-9].*[A-Za-z0-9]/.test(line));
}

function shellForms(secret: string): readonly string[] {
  const ansi: Readonly<Record<string, string>> = { '\n': '\\n', '\t': '\\t', '\r': '\\r', "'": "\\'", '\\': '\\\\' };
  return [
    secret.replaceAll("'", "'\\''"),
    secret.replaceAll("'", `'"'"'`),
    secret.replace(/["$`\\]/g, '\\$&'),
    secret.replace(/[^A-Za-z0-9_@%+=:,./\n-]/g, '\\$&'),
    secret.replace(/['\\\n\t\r]/g, (c) => ansi[c] ?? c),
  ];
}

function urlForms(secret: string): readonly string[] {
  // A lone half of a surrogate pair cannot be encoded at all.
  if (!secret.isWellFormed()) return [];
  const component = encodeURIComponent(secret);
  const strict = component.replace(/[!'()*]/g, (c) => `%${c.charCodeAt(0).toString(16).toUpperCase()}`);
  const lower = (text: string) => text.replace(/%[0-9A-F]{2}/g, (code) => code.toLowerCase());
  const userinfo = encodeURI(secret);
  const plus = (text: string) => text.replaceAll('%20', '+');
  return [component, strict, userinfo, plus(component), plus(strict), lower(component), lower(strict)];
}

function base64Exact(secret: string): readonly string[] {
  const plain = Buffer.from(secret).toString('base64');
  const url = Buffer.from(secret).toString('base64url');
  // `echo` adds a line end; tools fold at 64 or 76 columns.
  const echoed = Buffer.from(`${secret}\n`).toString('base64');
  const folded = [64, 76].flatMap((width) => (plain.length > width ? fold(plain, width) : []));
  return [plain, plain.replace(/=+$/, ''), echoed, url, ...folded];
}

function fold(text: string, width: number): readonly string[] {
  const pieces: string[] = [];
  for (let i = 0; i < text.length; i += width) pieces.push(text.slice(i, i + width));
  return pieces.filter((piece) => piece.length > 8);
}

/** What base64 of `…secret…` contains for certain, at each of the three offsets a secret can have. */
function base64Inner(secret: string): readonly string[] {
  const bytes = Buffer.from(secret);
  const found = [0, 1, 2].flatMap((offset) => {
    const text = Buffer.concat([Buffer.alloc(offset), bytes])
      .toString('base64')
      .replace(/=+$/, '');
    const first = Math.ceil((offset * 8) / 6);
    const last = Math.floor(((offset + bytes.length) * 8) / 6);
    const inner = text.slice(first, last);
    return [inner, inner.replaceAll('+', '-').replaceAll('/', '_')];
  });
  return found.filter((text) => text.length >= INNER_MIN);
}
