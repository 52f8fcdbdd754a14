import { execFileSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  truncateSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { brokenLabs, createLab, deleteLab, findMachine, labPlaces, listLabs, openLab } from '../../src/lab/index.ts';
import { describeLab, labEnv, removeEnv } from './fixture.ts';
import { boxState, NO_TRACES, tracesOf } from './world.ts';

describeLab('a lab whose record is torn', () => {
  const name = `t${process.pid}`;
  const other = `o${process.pid}`;
  let env: NodeJS.ProcessEnv;
  beforeAll(() => {
    env = labEnv();
  });
  afterAll(() => removeEnv(env));

  test('is one clear error, does not concern others, and is deleted with all that runs', async () => {
    const place = labPlaces(env).labs;
    const before = boxState(name, place);
    const { machines } = await createLab({ name, machines: 2 }, { env });
    await createLab({ name: other, machines: 1 }, { env });
    truncateSync(join(place, name, 'lab.json'), 200);
    const error = { code: 'KX6023', params: expect.objectContaining({ name }) };
    await expect(openLab(name, { env })).rejects.toMatchObject(error);
    await expect(findMachine(`${name}-1`, { env })).rejects.toMatchObject(error);
    await expect(createLab({ name, machines: 1 }, { env })).rejects.toMatchObject(error);
    expect((await listLabs({ env })).map((lab) => lab.name)).toEqual([other]);
    expect(await brokenLabs({ env })).toMatchObject([{ name, error }]);
    expect(await findMachine(`${other}-1`, { env })).toMatchObject({ state: 'running' });
    // The refused creation left the lab as it was.
    expect(existsSync(`/proc/${machines[0]!.pid}`)).toBe(true);

    expect(await deleteLab(name, { env })).toBe(true);
    expect(tracesOf(name, join(place, name))).toEqual(NO_TRACES);
    expect(await findMachine(`${other}-1`, { env })).toMatchObject({ state: 'running' });
    await deleteLab(other, { env });
    expect(tracesOf(other, place)).toEqual(NO_TRACES);
    expect(boxState(name, place)).toEqual(before);
  }, 120_000);

  test('so is one whose record is somebody else’s, or of nothing that was made', async () => {
    const dir = join(labPlaces(env).labs, name);
    mkdirSync(dir, { recursive: true });
    writeFileSync(join(dir, 'lab.json'), '{"some": "other program’s"}');
    expect(await brokenLabs({ env })).toMatchObject([{ name, error: { code: 'KX6023' } }]);
    expect(await deleteLab(name, { env })).toBe(true);
    expect(existsSync(dir)).toBe(false);
  });
});

/** What is mounted in a lab's directory is somebody else's. */
describeLab('mounts in a lab’s directory', () => {
  const name = 'm';
  let env: NodeJS.ProcessEnv;
  let root: string;
  let foreign: string;
  const kept = () => readFileSync(join(foreign, 'kept'), 'utf8');
  const mounts = () => readFileSync('/proc/self/mountinfo', 'utf8').split('\n');
  const bind = (to: string): void => {
    mkdirSync(to, { recursive: true });
    execFileSync('mount', ['--bind', foreign, to]);
  };

  beforeEach(() => {
    root = mkdtempSync(join(tmpdir(), 'kubexm-mounts-'));
    foreign = join(root, 'foreign');
    mkdirSync(foreign);
    writeFileSync(join(foreign, 'kept'), 'mine');
    mkdirSync(join(root, 'real'));
    // The state directory is reached through a link.
    symlinkSync(join(root, 'real'), join(root, 'state'));
    env = { ...process.env, KUBEXM_HOME: '', XDG_STATE_HOME: join(root, 'state') };
  });
  afterEach(() => {
    for (const line of mounts().reverse()) {
      const point = line.split(' ')[4] ?? '';
      if (point.startsWith(`${root}/`)) execFileSync('umount', ['-l', point]);
    }
    if (!mounts().some((line) => line.includes(root))) rmSync(root, { recursive: true });
  });

  test('are found behind a link in the path, and what is in them is kept', async () => {
    const { labs } = labPlaces(env);
    bind(join(labs, name, 'machines', 'a b', 'upper'));
    expect(mounts().some((line) => line.includes(join(root, 'real')))).toBe(true);
    expect(await deleteLab(name, { env })).toBe(true);
    expect(kept()).toBe('mine');
    expect(mounts().filter((line) => line.includes(root))).toEqual([]);
    expect(existsSync(join(labs, name))).toBe(false);
  });

  test('also where it is itself a mount', async () => {
    const { labs } = labPlaces(env);
    bind(join(labs, name));
    expect(await deleteLab(name, { env })).toBe(true);
    expect(kept()).toBe('mine');
  });

  test('of a lab with a name that begins alike are left alone', async () => {
    const { labs } = labPlaces(env);
    mkdirSync(join(labs, name), { recursive: true });
    bind(join(labs, `${name}-2`, 'upper'));
    expect(await deleteLab(name, { env })).toBe(true);
    expect(readFileSync(join(labs, `${name}-2`, 'upper', 'kept'), 'utf8')).toBe('mine');
  });

  test('are left alone where the lab is a link to somewhere else: only the link goes', async () => {
    const { labs } = labPlaces(env);
    mkdirSync(labs, { recursive: true });
    const elsewhere = join(root, 'elsewhere');
    bind(join(elsewhere, 'data'));
    symlinkSync(elsewhere, join(labs, name));
    expect(await deleteLab(name, { env })).toBe(true);
    expect(existsSync(join(labs, name))).toBe(false);
    expect(readFileSync(join(elsewhere, 'data', 'kept'), 'utf8')).toBe('mine');
    // Also where it leads nowhere.
    mkdirSync(labs, { recursive: true });
    symlinkSync(join(root, 'nowhere'), join(labs, name));
    expect(await deleteLab(name, { env })).toBe(true);
    expect(() => unlinkSync(join(labs, name))).toThrow();
  });
});
