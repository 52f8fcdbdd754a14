import { expect, test } from 'vitest';
import { scan } from './scan.ts';
import { maskLine, secretSpans } from './secret-spans.ts';

const tokens = (text: string): readonly string[] =>
  scan(text)
    .tokens.filter((token) => token.kind !== 'indent' && token.kind !== 'mark')
    .map((token) => `${token.kind}${token.isKey ? '*' : ''} ${text.slice(token.start, token.end)}`);

test.each([
  ['a: b # c', ['plain* a', 'plain b', 'comment # c']],
  ['- a: "b: # c"\n  d: e', ['plain* a', 'quoted "b: # c"', 'plain* d', 'plain e']],
  ['{a: b, "c": [d, e]}', ['plain* a', 'plain b', 'quoted* "c"', 'plain d', 'plain e']],
  [
    'a: |\n  x: y\n  # z\n\n  w\nb: c',
    ['plain* a', 'block   x: y', 'block   # z', 'block ', 'block   w', 'plain* b', 'plain c'],
  ],
  ['- |\n  x\n- y', ['block   x', 'plain y']],
  ['a: node[5:6]', ['plain* a', 'plain node[5:6]']],
  ['a: [node[5:6], x]', ['plain* a', 'range node[5:6]', 'plain x']],
  ["a: 'it''s'\nb: it's", ['plain* a', "quoted 'it''s'", 'plain* b', "plain it's"]],
  ['a: "x\n  y"\nb: c', ['plain* a', 'quoted "x\n  y"', 'plain* b', 'plain c']],
  ['a: &x !y *z', ['plain* a', 'property &x', 'property !y', 'property *z']],
  ['url: http://a:80/#b', ['plain* url', 'plain http://a:80/#b']],
])('%j', (text, expected) => {
  expect(tokens(text)).toEqual(expected);
});

const hidden = (text: string): readonly string[] =>
  secretSpans(text, scan(text)).map((span) => text.slice(span.start, span.end));

test.each([
  ['password: abc', ['abc']],
  ['{user: me, password: abc, port: 1}', ['abc']],
  ['password: "a, b"', ['"a, b"']],
  ['password: env:PW', []],
  ['privateKeyPath: ~/.ssh/id_rsa', []],
  ['privateKey: |\n  line 1\n  line 2\nuser: me', ['  line 1', '  line 2']],
  ['password:\n  abc\nuser: me', ['abc']],
  ['password:\nuser: me', []],
  ['password： abc', ['abc']],
  ['token: abc', ['abc']],
])('the secrets of %j', (text, expected) => {
  expect(hidden(text)).toEqual(expected);
});

test.each([
  ['# {password: abc, port: 1}', '# {password: ***, port: 1}'],
  ['password = "a b" x', 'password = ***** x'],
  ['password: env:PW', 'password: env:PW'],
  ['privateKeyPath: x', 'privateKeyPath: x'],
  ['name: node1', 'name: node1'],
])('%j is shown as %j', (line, shown) => {
  expect(maskLine(line)).toBe(shown);
});
