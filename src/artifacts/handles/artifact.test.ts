import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { Text } from '../../model/errors/index.ts';
import type { Output } from '../../model/host.ts';
import { inLanguage } from '../../model/text/spoken.ts';
import type { StepIo } from '../../plan/step.ts';
import { type ArtifactWant, getArtifact } from './artifact.ts';
import { forgetLocked, readLock } from './lock-file.ts';

const ITEM = 'nerdctl/2.3.5/amd64/nerdctl';

let dir: string;
let said: (string | Text)[];
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'kubexm-optional-'));
  said = [];
  for (const source of ['offline', 'other']) {
    mkdirSync(join(dir, source));
    writeFileSync(join(dir, source, 'index.json'), '{"format":"kubexm-bundle","version":1,"items":{}}');
  }
});
afterEach(() => rmSync(dir, { recursive: true, force: true }));

function want(source = 'offline', optional = true): ArtifactWant {
  const file = {
    name: 'nerdctl',
    kind: 'binary',
    file: 'nerdctl',
    arch: 'amd64',
    url: 'https://example.org/nerdctl',
    mirrors: [],
    programs: { nerdctl: 'nerdctl' },
    hosts: ['a'],
  } as const;
  const about = { component: 'nerdctl', version: '2.3.5', group: 'tool', arch: 'amd64', builds: [] } as const;
  return {
    job: { kind: 'files', ...about, optional, files: [file] },
    workDir: dir,
    cacheDir: join(dir, 'cache'),
    sources: [{ type: 'directory', path: join(dir, source) }],
    lock: {},
  };
}

const io = (): StepIo =>
  ({
    signal: new AbortController().signal,
    progress: () => undefined,
    line: () => undefined,
    say: (text: string | Text) => void said.push(text),
    secret: () => undefined,
  }) as unknown as StepIo;

const get = (one: ArtifactWant) => getArtifact(one).step.apply({} as never, one, io());

function verdict(one: ArtifactWant) {
  const lock = JSON.stringify({ version: 1, items: readLock(dir) });
  const bytes = Buffer.from(`\0${lock}\0`);
  return getArtifact(one).step.judge?.({ bytes } as unknown as Output, one).verdict;
}

test('what is optional may be absent: told once, and asked for again when the sources change or it is forgotten', async () => {
  expect(await get(want())).toEqual({ nerdctl: null });
  expect(said.filter((text) => inLanguage(text).includes('does without nerdctl'))).toHaveLength(1);
  expect(readLock(dir)[ITEM]).toMatchObject({ absent: expect.any(String) });
  expect(verdict(want())).toBe('satisfied');
  expect(verdict(want('other'))).toBe('needed');
  await forgetLocked(dir, 'absent');
  expect(verdict(want())).toBe('needed');
});

test('what is not optional is an error', async () => {
  await expect(get(want('offline', false))).rejects.toMatchObject({ code: 'KX7016' });
  expect(readLock(dir)).toEqual({});
});
