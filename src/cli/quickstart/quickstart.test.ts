import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { LAB_KUBERNETES, type Lab, loadConfig, recordContext } from '../../index.ts';
import type { Io } from '../io.ts';
import { nodesOf } from './lab.ts';
import { findPlace, knownVersion, removePlace, writeConfig } from './place.ts';
import { versionFor } from './version.ts';

let dir: string;
let io: Io;
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'kubexm-quickstart-'));
  io = { env: { HOME: join(dir, 'home') }, cwd: join(dir, 'here') } as unknown as Io;
  mkdirSync(io.cwd);
});
afterEach(() => rmSync(dir, { recursive: true, force: true }));

const lab = (created = '2026-01-01T00:00:00Z') =>
  ({
    name: 'quickstart',
    user: 'root',
    created,
    machines: [1, 2].map((i) => ({
      name: `quickstart-${i}`,
      address: `10.88.0.${i + 3}`,
      sshKeyPath: '/labs/quickstart/key',
    })),
  }) as unknown as Lab;

describe('the place', () => {
  test('the configuration is a good one, for its owner only, with the version asked for', async () => {
    const place = findPlace(io);
    expect(place.dir).toBe(join(io.cwd, '.kubexm', 'quickstart'));
    writeConfig(place, lab(), 'v1.33.5');
    expect(statSync(place.configFile).mode & 0o777).toBe(0o600);
    expect(knownVersion(place)).toBe('v1.33.5');
    const { cluster } = await loadConfig({ text: readFileSync(place.configFile, 'utf8'), file: 'quickstart.yaml' });
    expect(cluster?.metadata.name).toBe('quickstart');
    expect(cluster?.spec.roleGroups).toMatchObject({ master: ['quickstart-1'], worker: ['quickstart-2'] });
  });

  test('what is known of the machines stays as long as they do', () => {
    const place = findPlace(io);
    writeConfig(place, lab(), 'v1.34.2');
    writeFileSync(join(place.dir, 'known_hosts'), 'x');
    writeConfig(place, lab(), 'v1.34.2');
    expect(existsSync(join(place.dir, 'known_hosts'))).toBe(true);
    writeConfig(place, lab('2026-02-02T00:00:00Z'), 'v1.34.2');
    expect(readdirSync(place.dir)).toEqual(['quickstart.yaml']);
  });

  test('there is one, wherever it was started', () => {
    const place = findPlace(io);
    writeConfig(place, lab(), 'v1.34.2');
    recordContext(io.env, { name: 'quickstart', configFile: place.configFile, baseDir: place.baseDir });
    const elsewhere = { ...io, cwd: join(dir, 'elsewhere') };
    expect(findPlace(elsewhere)).toEqual(place);
    removePlace(place);
    expect(findPlace(elsewhere).baseDir).toBe(elsewhere.cwd);
  });

  test('a cluster of this name that somebody else made is left alone', () => {
    const foreign = join(io.cwd, '.kubexm', 'quickstart', 'runs');
    mkdirSync(foreign, { recursive: true });
    expect(() => findPlace(io)).toThrow(expect.objectContaining({ code: 'KX6632' }));
    expect(existsSync(foreign)).toBe(true);
  });

  test('removed: nothing is left, but for other clusters', () => {
    const place = findPlace(io);
    const root = join(io.cwd, '.kubexm');
    writeConfig(place, lab(), 'v1.34.2');
    writeFileSync(join(root, '.gitignore'), '*\n');
    mkdirSync(join(root, 'other'));
    removePlace(place);
    expect(readdirSync(root).sort()).toEqual(['.gitignore', 'other']);
    rmSync(join(root, 'other'), { recursive: true });
    removePlace(place);
    expect(existsSync(root)).toBe(false);
  });
});

describe('the version', () => {
  test.each([
    [undefined, LAB_KUBERNETES],
    ['1.33.5', 'v1.33.5'],
    ['v1.33.5', 'v1.33.5'],
  ])('%s is %s', async (asked, version) => {
    expect(await versionFor(findPlace(io), asked)).toBe(version);
  });

  test('without the last number it is the newest', async () => {
    expect(await versionFor(findPlace(io), '1.33')).toMatch(/^v1\.33\.\d\d$/);
  });

  test.each(['1.2', 'latest', '', '1.34.2-rc.1'])('%j is refused', async (asked) => {
    await expect(versionFor(findPlace(io), asked)).rejects.toMatchObject({ code: 'KX1006' });
  });

  test('of a cluster that is there it stays', async () => {
    const place = findPlace(io);
    writeConfig(place, lab(), 'v1.33.5');
    for (const asked of [undefined, '1.33', '1.33.5']) expect(await versionFor(place, asked)).toBe('v1.33.5');
    await expect(versionFor(place, '1.34')).rejects.toMatchObject({ code: 'KX6631', params: { have: 'v1.33.5' } });
  });
});

test('machines that are there are as many as there are', () => {
  expect(nodesOf(undefined, undefined)).toBe(2);
  expect(nodesOf(undefined, 5)).toBe(5);
  expect(nodesOf(lab(), undefined)).toBe(2);
  expect(() => nodesOf(lab(), 3)).toThrow(expect.objectContaining({ code: 'KX6630', params: { have: 2, wanted: 3 } }));
});
