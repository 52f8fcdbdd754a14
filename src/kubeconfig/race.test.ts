import type * as fs from 'node:fs';
import {
  lchownSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test, vi } from 'vitest';
import { changeFile, readKubeconfigFile } from './file.ts';

const looks = ['statSync', 'lstatSync', 'realpathSync', 'readlinkSync'] as const;
/** Called before each look at a file, as if somebody else were just as fast. */
const attack = vi.hoisted(() => ({ before: (_look: string): void => undefined }));
vi.mock('node:fs', async (original) => {
  const real = await original<typeof fs>();
  const hooked = (name: 'statSync' | 'lstatSync' | 'realpathSync' | 'readlinkSync') => ({
    [name]: (...args: unknown[]) => {
      attack.before(name);
      return (real[name] as (...all: unknown[]) => unknown)(...args);
    },
  });
  return {
    ...real,
    ...hooked('statSync'),
    ...hooked('lstatSync'),
    ...hooked('realpathSync'),
    ...hooked('readlinkSync'),
  };
});

const SOMEBODY = 54_321;
const base = realpathSync(mkdtempSync(join(tmpdir(), 'kubexm-race-')));
afterAll(() => rmSync(base, { recursive: true, force: true }));

/** For each kind of look, whether it finds the link to the victim. */
const patterns = Array.from({ length: 2 ** looks.length }, (_, bits) => looks.filter((_look, i) => bits & (1 << i)));

describe.runIf(process.getuid?.() === 0)('root, and a link that leads elsewhere at each look', () => {
  test.each(patterns.map((victims) => ({ at: victims.join(', ') || 'none', victims })))(
    'to the victim at $at',
    async ({ victims }) => {
      const dir = mkdtempSync(join(base, 'at-'));
      const [file, own, secret] = [join(dir, 'home/config'), join(dir, 'home/own'), join(dir, 'root/config')];
      for (const name of ['home', 'root']) mkdirSync(join(dir, name));
      writeFileSync(own, 'own\n');
      writeFileSync(secret, 'not yours\n');
      for (const path of [join(dir, 'home'), own]) lchownSync(path, SOMEBODY, SOMEBODY);
      const lead = (to: string): void => {
        rmSync(file, { force: true });
        symlinkSync(to, file);
        lchownSync(file, SOMEBODY, SOMEBODY);
      };
      lead(own);
      attack.before = (look) => lead(victims.some((one) => one === look) ? secret : own);
      try {
        const texts: string[] = [];
        try {
          texts.push(readKubeconfigFile(file));
          await changeFile(file, (text) => {
            texts.push(text);
            return 'new\n';
          });
        } catch {
          // It may be refused, but never misled.
        }
        expect(texts).not.toContain('not yours\n');
      } finally {
        attack.before = () => undefined;
      }
      expect(readFileSync(secret, 'utf8')).toBe('not yours\n');
      expect(readdirSync(join(dir, 'root'))).toEqual(['config']);
      expect(readdirSync(join(dir, 'home'))).not.toContain('config.lock');
    },
  );
});
