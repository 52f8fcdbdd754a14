import { inspect } from 'node:util';
import { expect, test } from 'vitest';
import { parseSecret } from './secret.ts';

test.each([
  ['env:SSH_PASSWORD', 'env', 'SSH_PASSWORD'],
  ['file:/run/secrets/ssh', 'file', '/run/secrets/ssh'],
  ['file:~/.ssh/pw', 'file', '~/.ssh/pw'],
  ['file:./pw', 'file', './pw'],
  ['prompt', 'prompt', ''],
  ['prompt:root of all hosts', 'prompt', 'root of all hosts'],
  ['Qcloud@123', 'inline', ''],
  ['environment', 'inline', ''],
  ['two\nlines', 'inline', ''],
])('%s', (text, kind, name) => {
  const secret = parseSecret(text);
  expect([secret?.kind, secret?.name]).toEqual([kind, name]);
  expect(secret?.inlineText()).toBe(kind === 'inline' ? text : undefined);
});

test.each(['env:', 'env:A-B', 'env:1A', 'file:', 'file:relative', 'prompt:', 'prompt: x'])(
  '%s is no reference',
  (text) => {
    expect(parseSecret(text)).toBeUndefined();
  },
);

test('the text of a secret cannot be printed or serialised by accident', () => {
  const secret = parseSecret('Qcloud@123')!.placedAt('spec.ssh.password');
  const everything = [
    inspect({ secret }, { depth: 9, showHidden: true }),
    JSON.stringify({ secret }),
    String(secret),
    `${secret}`,
  ].join();
  expect(everything).not.toContain('Qcloud');
  expect(secret.inlineText()).toBe('Qcloud@123');
  expect(secret.at).toBe('spec.ssh.password');
  expect(JSON.stringify(parseSecret('env:A'))).toBe('"env:A"');
});
