/** A command with its words. `toStderr`: what it prints goes there. */
export interface Command {
  readonly type: 'command';
  readonly words: readonly string[];
  readonly toStderr: boolean;
}

/** Commands one after the other. */
export interface Group {
  readonly type: 'group';
  readonly statements: readonly Statement[];
}

/** Commands joined by `||` and `&&`. */
export interface Statement {
  readonly first: Command | Group;
  readonly rest: readonly { readonly on: '||' | '&&'; readonly what: Command | Group }[];
}

type Token = { readonly word: string } | { readonly mark: ';' | '||' | '&&' | '{' | '}' | '>&2' };

/**
 * Reads the small part of the shell's language that memory hosts understand: words with quotes and `$name`, `;`, `||`, `&&`,
 * `{ …; }`, `>&2`, comments. Everything else is an error, never a guess. A `$name` is marked with a NUL for the host to fill in.
 */
export function parseScript(script: string): readonly Statement[] {
  const tokens = tokenize(script);
  let at = 0;
  const isMark = (mark: string) => {
    const token = tokens[at];
    return token !== undefined && 'mark' in token && token.mark === mark;
  };
  const list = (): Statement[] => {
    const statements: Statement[] = [];
    for (;;) {
      while (isMark(';')) at++;
      if (at >= tokens.length || isMark('}')) return statements;
      statements.push(statement());
    }
  };
  const statement = (): Statement => {
    const first = simple();
    const rest: { on: '||' | '&&'; what: Command | Group }[] = [];
    while (isMark('||') || isMark('&&')) {
      const on = isMark('||') ? '||' : '&&';
      at++;
      rest.push({ on, what: simple() });
    }
    return { first, rest };
  };
  const simple = (): Command | Group => {
    if (isMark('{')) {
      at++;
      const statements = list();
      if (!isMark('}')) throw new SyntaxError('a { without its }');
      at++;
      return { type: 'group', statements };
    }
    const words: string[] = [];
    for (let token = tokens[at]; token && 'word' in token; token = tokens[++at]) words.push(token.word);
    const toStderr = isMark('>&2');
    if (toStderr) at++;
    if (words.length === 0) throw new SyntaxError('a command without words');
    return { type: 'command', words, toStderr };
  };
  const statements = list();
  if (at < tokens.length) throw new SyntaxError('a } without its {');
  return statements;
}

const MARKS = ['||', '&&', '>&2', ';', '\n'] as const;

function tokenize(script: string): Token[] {
  const tokens: Token[] = [];
  let at = 0;
  while (at < script.length) {
    const mark = MARKS.find((one) => script.startsWith(one, at));
    if (mark !== undefined) {
      tokens.push({ mark: mark === '\n' ? ';' : mark });
      at += mark.length;
    } else if (/[ \t]/.test(script[at] ?? '')) {
      at++;
    } else if (script[at] === '#') {
      at = script.indexOf('\n', at) < 0 ? script.length : script.indexOf('\n', at);
    } else {
      const { word, end, bare } = readWord(script, at);
      tokens.push(bare && (word === '{' || word === '}') ? { mark: word } : { word });
      at = end;
    }
  }
  return tokens;
}

function readWord(
  script: string,
  start: number,
): { readonly word: string; readonly end: number; readonly bare: boolean } {
  let word = '';
  let at = start;
  let bare = true;
  let open = false;
  while (at < script.length && (open || !/[\s;]/.test(script[at] ?? ''))) {
    const rest = script.slice(at);
    const variable = /^\$([A-Za-z_]\w*)/.exec(rest);
    if (!open && script[at] === "'") {
      const close = script.indexOf("'", at + 1);
      if (close < 0) throw new SyntaxError('a quote without its end');
      word += script.slice(at + 1, close);
      at = close + 1;
      bare = false;
    } else if (script[at] === '"') {
      open = !open;
      at++;
      bare = false;
    } else if (script[at] === '\\') {
      word += script[at + 1] ?? '';
      at += 2;
      bare = false;
    } else if (variable) {
      word += `\0${variable[1]}\0`;
      at += variable[0].length;
    } else if (!open && /^[|&<>()`$]/.test(rest) && !rest.startsWith('&2')) {
      throw new SyntaxError(`a memory host does not understand ${JSON.stringify(rest.slice(0, 20))}`);
    } else {
      word += script[at];
      at++;
    }
  }
  if (open) throw new SyntaxError('a quote without its end');
  return { word, end: at, bare };
}
