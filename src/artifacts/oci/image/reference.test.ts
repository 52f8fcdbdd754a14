import { expect, test } from 'vitest';
import { formatReference, parseReference } from './reference.ts';

const digest = `sha256:${'a'.repeat(64)}`;

test.each([
  ['pause', 'docker.io/library/pause:latest'],
  ['flannel/flannel:v0.26.7', 'docker.io/flannel/flannel:v0.26.7'],
  ['registry.k8s.io/pause:3.10', 'registry.k8s.io/pause:3.10'],
  ['localhost/a/b', 'localhost/a/b:latest'],
  ['127.0.0.1:5000/a/b-c_d__e.f:1', '127.0.0.1:5000/a/b-c_d__e.f:1'],
  ['[::1]:5000/a', '[::1]:5000/a:latest'],
  [`quay.io/a@${digest}`, `quay.io/a@${digest}`],
  [`quay.io/a:1@${digest}`, `quay.io/a:1@${digest}`],
])('%s is %s', (text, full) => {
  expect(formatReference(parseReference(text))).toBe(full);
});

test.each([
  '',
  'UPPER/case',
  'a:',
  'a:b c',
  'a@sha256:12',
  'reg.io/',
  'reg.io//a',
  'reg.io/a/../b',
  'a?b',
  '-x.io/a',
  'a@md5:00',
])('“%s” names no image', (text) => {
  expect(() => parseReference(text)).toThrow(expect.objectContaining({ code: 'KX7101' }) as Error);
});
