import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import {
  type BoxPlaces,
  enterLab,
  isLastToLeave,
  type Member,
  memberIn,
  neededSettings,
  raiseSettings,
  restoreSettings,
  settingsBefore,
  wantedValue,
} from './box.ts';

test.each([
  [{ key: 'a', least: 8192 }, '128', '8192'],
  [{ key: 'a', least: 8192 }, '8192', undefined],
  [{ key: 'a', least: 8192 }, '99999', undefined],
])('%j where it is %s: %s', (need, now, wanted) => {
  expect(wantedValue(need, now)).toBe(wanted);
});

test('connections to track grow with the cores, as kube-proxy counts them', () => {
  const least = (cores: number) => neededSettings(cores).find((one) => one.key.endsWith('conntrack_max'))?.least;
  expect([2, 4, 8].map(least)).toEqual([131_072, 131_072, 262_144]);
});

test('nothing of the box’s own bridges is touched', () => {
  expect(neededSettings(2).filter(({ key }) => key.startsWith('net/bridge'))).toEqual([]);
});

describe.runIf(process.platform === 'linux')('settings of a box', () => {
  let root: string;
  let places: BoxPlaces;
  const value = (key: string): string => readFileSync(join(places.settings, key), 'utf8');
  const set = (key: string, text: string): void => writeFileSync(join(places.settings, key), text);
  const needs = [
    { key: 'fs/a', least: 100 },
    { key: 'fs/b', least: 100 },
    { key: 'fs/missing', least: 1 },
  ];
  const lab = (name: string): Member => {
    const dir = join(root, 'labs', name);
    mkdirSync(dir, { recursive: true });
    return { name, dir, subnet: '10.88.1.0/24', id: 'a1b2c3', link: `kx-${name}`, mac: '02:a1:b2:c3:02:00' };
  };
  const enter = (name: string): Member => {
    const member = lab(name);
    enterLab(member, places);
    raiseSettings(needs, places);
    return member;
  };
  const leave = ({ dir }: Member): boolean => {
    const last = isLastToLeave(dir, places);
    if (last) restoreSettings(places);
    return last;
  };

  beforeEach(() => {
    root = mkdtempSync(join(tmpdir(), 'kubexm-box-'));
    places = { dir: join(root, 'run'), settings: join(root, 'sys') };
    mkdirSync(dirname(join(places.settings, 'fs/a')), { recursive: true });
    set('fs/a', '7');
    set('fs/b', '500');
  });
  afterEach(() => rmSync(root, { recursive: true }));

  test('several labs: raised by the first, put back by the last, whichever that is', () => {
    const [one, two] = [enter('one'), enter('two')];
    expect([value('fs/a'), value('fs/b')]).toEqual(['100', '500']);
    expect(settingsBefore(places)).toEqual(new Map([['fs/a', '7']]));
    expect(leave(one)).toBe(false);
    expect(value('fs/a')).toBe('100');
    expect(leave(two)).toBe(true);
    expect([value('fs/a'), value('fs/b')]).toEqual(['7', '500']);
  });

  test('killed after the record and before the change: put back is what was there', () => {
    const one = enter('one');
    set('fs/a', '7');
    const two = enter('two');
    expect(value('fs/a')).toBe('100');
    leave(two);
    leave(one);
    expect(value('fs/a')).toBe('7');
  });

  test('killed while it was put back: the next one finishes it', () => {
    const one = enter('one');
    expect(isLastToLeave(one.dir, places)).toBe(true);
    set('fs/a', '7');
    const two = enter('two');
    expect(value('fs/a')).toBe('100');
    leave(two);
    leave(one);
    expect(value('fs/a')).toBe('7');
  });

  test('a later lab that needs more does not take the first one’s value for the box’s', () => {
    const one = enter('one');
    raiseSettings([{ key: 'fs/a', least: 300 }], places);
    expect(value('fs/a')).toBe('300');
    leave(one);
    expect(value('fs/a')).toBe('7');
  });

  test('what somebody else set meanwhile stays, also below a lab that comes later', () => {
    const one = enter('one');
    set('fs/a', '50');
    const two = enter('two');
    leave(two);
    leave(one);
    expect(value('fs/a')).toBe('50');
    const three = enter('three');
    set('fs/a', '9999');
    leave(three);
    expect(value('fs/a')).toBe('9999');
  });

  test('a lab whose directory is gone keeps nothing', () => {
    const [one, two] = [enter('one'), enter('two')];
    rmSync(one.dir, { recursive: true });
    expect(leave(two)).toBe(true);
    expect(value('fs/a')).toBe('7');
  });

  test('what tells a lab’s things from others’ is known by its directory', () => {
    const one = enter('one');
    enter('two');
    expect(memberIn(one.dir, places)).toEqual(one);
    expect(memberIn(join(root, 'labs', 'three'), places)).toBeUndefined();
  });

  test('a record that cannot be read is said, not guessed', () => {
    enter('one');
    writeFileSync(join(places.dir, 'box.json'), '{"boot":');
    expect(() => settingsBefore(places)).toThrow(expect.objectContaining({ code: 'KX6024' }));
  });
});
