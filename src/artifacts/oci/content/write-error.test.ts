import { copyFile, link, mkdir, mkdtemp, open, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { kubexmError } from '../../../model/errors/index.ts';
import { writeError } from './write-error.ts';

let dir: string;
beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'kubexm-write-'));
  await writeFile(join(dir, 'file'), '');
});
afterAll(() => rm(dir, { recursive: true, force: true }));

const failed = (work: Promise<unknown>): Promise<unknown> =>
  work.then(() => undefined).catch((error: unknown) => error);

test.each<[string, () => Promise<unknown>]>([
  ['open', () => open(join(dir, 'file/x'), 'w')],
  ['mkdir', () => mkdir(join(dir, 'file/x'))],
  ['mkdtemp', () => mkdtemp(join(dir, 'file/x'))],
  ['rename', () => rename(join(dir, 'file'), join(dir, 'file/x'))],
  ['link', () => link(join(dir, 'file'), join(dir, 'file/x'))],
  ['copy', () => copyFile(join(dir, 'file'), join(dir, 'file/x'))],
])('%s: the error names the path', async (_, work) => {
  const error = writeError(await failed(work()), '/some/where');
  expect(error).toMatchObject({ code: 'KX7122', params: { path: '/some/where' } });
  expect((error as Error).message).not.toContain(dir);
});

test('everything else stays as it is', async () => {
  const mine = kubexmError('KX7015', { what: 'x', sources: 'y' });
  const reset = Object.assign(new Error('read ECONNRESET'), { code: 'ECONNRESET', syscall: 'read' });
  const directory = await failed(readFile(dir));
  for (const error of [mine, reset, directory, new Error('other'), undefined]) {
    if (error !== undefined) expect(writeError(error, '/x')).toBe(error);
  }
});
