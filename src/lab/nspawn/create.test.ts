import { expect, test } from 'vitest';
import type { LabSpec } from '../types.ts';
import { specProblem } from './create.ts';

const spec: LabSpec = { name: 't', machines: 3 };

test.each<[Partial<LabSpec>, RegExp | undefined]>([
  [{}, undefined],
  [{ image: 'debian-13', memoryBytes: 2 ** 31, user: 'admin', sudoPassword: 'a b', subnet: '10.1.2.0/24' }, undefined],
  [{ name: '../x' }, /^name/],
  [{ machines: 0 }, /^machines 0/],
  [{ machines: 1.5 }, /^machines/],
  [{ machines: 251 }, /^machines/],
  [{ image: 'debian-11' as never }, /^image debian-11/],
  [{ memoryBytes: 1024 }, /^memory/],
  [{ memoryBytes: Number.NaN }, /^memory/],
  [{ user: 'a b' }, /^user/],
  [{ sudoPassword: 'x' }, /root needs none/],
  [{ user: 'admin', sudoPassword: 'a\nb' }, /one line/],
  [{ user: 'admin', sudoPassword: '' }, /one line/],
  [{ subnet: '10.0.0.0/8' }, /^subnet/],
])('%j', (changes, problem) => {
  const found = specProblem({ ...spec, ...changes });
  if (problem === undefined) expect(found).toBeUndefined();
  else expect(found).toMatch(problem);
});
