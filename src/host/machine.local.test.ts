import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { survivesEverything } from '../../test/rig/survival.ts';
import { sh } from '../model/script.ts';
import { localMachine } from './connect.ts';
import type { LinkedMachine } from './machine.ts';

describe('this machine', () => {
  let dir: string;
  let machine: LinkedMachine;

  beforeAll(async () => {
    dir = await mkdtemp(join(tmpdir(), 'kx local '));
    machine = await localMachine({ stateDir: join(dir, 'state'), runDir: join(dir, 'run'), sudo: false });
  });
  afterAll(async () => {
    await machine.close();
    await rm(dir, { recursive: true, force: true });
  });

  survivesEverything(() => machine);

  test('it knows what it is', () => {
    expect(machine.name).toBe('local');
    expect(machine.facts.cpus).toBeGreaterThan(0);
    expect(machine.facts.memoryBytes).toBeGreaterThan(1e8);
    expect(machine.facts.hostname).not.toBe('');
    expect(machine.facts.root).toBe(process.getuid?.() === 0);
    expect(Math.abs(machine.facts.timeOffsetMs)).toBeLessThan(1000);
    expect(machine.facts.commands).toContain('mount');
  });

  test('the environment is fixed', async () => {
    const { stdout } = await machine.run(
      sh`env | grep -v '^_=' | sed 's/=.*//' | sort | tr '\n' ' '; echo; echo $PATH $LC_ALL; umask; pwd`,
    );
    const [names, ...rest] = stdout.trimEnd().split('\n');
    expect(
      names
        ?.trim()
        .split(' ')
        .filter((name) => !['PWD', 'OLDPWD', 'SHLVL'].includes(name)),
    ).toEqual(['HOME', 'LANG', 'LC_ALL', 'LOGNAME', 'PATH', 'TERM', 'USER']);
    expect(rest).toEqual(['/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin C', '0077', '/']);
  });

  test('nothing is left when it is closed', async () => {
    const places = { stateDir: join(dir, 'state2'), runDir: join(dir, 'run2') };
    const other = await localMachine({ ...places, sudo: false });
    await other.run(sh`true`);
    expect(existsSync(places.runDir)).toBe(true);
    await other.close();
    expect([existsSync(places.runDir), existsSync(places.stateDir)]).toEqual([false, false]);
    await expect(other.run(sh`true`)).rejects.toMatchObject({ code: 'KX3012' });
  });
});
