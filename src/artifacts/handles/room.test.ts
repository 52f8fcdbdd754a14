import { expect, test } from 'vitest';
import { prerequisiteError } from '../../runtime/prerequisites.ts';
import { noRoom } from './room.ts';

const GIB = 1024 ** 3;
const loads = [
  { path: '/cache', bytes: 2 * GIB },
  { path: '/root/.cache/go-build', bytes: 3 * GIB },
  { path: '/big/mod', bytes: 4 * GIB },
];
const disks = (free: number) => async (path: string) =>
  path.startsWith('/big') ? { device: 2, freeBytes: 100 * GIB } : { device: 1, freeBytes: free * GIB };

test('what lies on one file system must fit there together', async () => {
  expect(await noRoom(loads, disks(6))).toEqual([]);
  expect(await noRoom(loads, disks(4))).toEqual([{ path: '/cache', neededBytes: 5 * GIB, freeBytes: 4 * GIB }]);
});

test('a directory that is not there yet is looked for above', async () => {
  expect(await noRoom([{ path: '/tmp/not/there/yet', bytes: 1 }])).toEqual([]);
  expect(await noRoom([{ path: '/tmp/not/there/yet', bytes: 2 ** 60 }])).toHaveLength(1);
});

test('too little room is an error that says how much', async () => {
  const full = await noRoom(loads, disks(4));
  expect(prerequisiteError({ nowhere: undefined, missing: [], full })).toMatchObject({
    code: 'KX7044',
    params: { path: '/cache', needed: '5.0 GiB', free: '4.0 GiB' },
  });
  expect(prerequisiteError({ nowhere: undefined, missing: [], full: [] })).toBeUndefined();
});
