import * as fs from 'node:fs';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { type LabRecord, labDir, readRecord, readRecords, writeRecord } from './record.ts';

const calls = vi.hoisted((): string[] => []);
vi.mock('node:fs', async (original) => {
  const real = await original<typeof fs>();
  return {
    ...real,
    fsyncSync: (fd: number) => {
      calls.push(`sync ${real.readlinkSync(`/proc/self/fd/${fd}`)}`);
      real.fsyncSync(fd);
    },
    renameSync: (from: string, to: string) => {
      calls.push(`rename ${to}`);
      real.renameSync(from, to);
    },
  };
});

const record: LabRecord = {
  version: 1,
  provider: 'nspawn',
  name: 't',
  id: 'a1b2c3',
  created: '2026-01-01T00:00:00.000Z',
  phase: 'ready',
  image: 'debian-12',
  base: '/cache/debian-12-0',
  user: 'root',
  sudoPassword: false,
  subnet: '10.88.7.0/24',
  linkSalt: '',
  port: 3142,
  sources: [],
  machines: [{ name: 't-1', index: 1 }],
};
const whole = JSON.stringify(record);

let labs: string;
const places = () => ({ labs, cache: '/nonexistent' });
beforeEach(() => {
  labs = mkdtempSync(join(tmpdir(), 'kubexm-record-'));
  calls.length = 0;
});
afterEach(() => rmSync(labs, { recursive: true }));

test('what was written is read again, and a lab that is not there has no record', () => {
  writeRecord(places(), record);
  expect(readRecord(places(), 't')).toEqual(record);
  expect(readRecord(places(), 'other')).toBeUndefined();
  expect(readRecord(places(), '../x')).toBeUndefined();
});

test.runIf(process.platform === 'linux')('it is on the disk before it has its name, and its name after', () => {
  writeRecord(places(), record);
  const file = join(labDir(places(), 't'), 'lab.json');
  expect(calls).toEqual([`sync ${file}.next`, `rename ${file}`, `sync ${labDir(places(), 't')}`, `sync ${labs}`]);
  expect(fs.statSync(file).mode & 0o777).toBe(0o600);
});

test.each([
  ['', /JSON/],
  [whole.slice(0, -20), /JSON/],
  ['\0'.repeat(200), /JSON/],
  ['[]', /no object/],
  ['null', /no object/],
  ['{"name":"t"}', /another version/],
  [JSON.stringify({ ...record, version: 2 }), /another version/],
  [JSON.stringify({ ...record, name: 'u' }), /of lab "u"/],
  [JSON.stringify({ ...record, id: '../..' }), /id/],
  [JSON.stringify({ ...record, subnet: '10.0.0.0/8' }), /subnet/],
  [JSON.stringify({ ...record, machines: [{ name: '../../etc', index: 1 }] }), /machines/],
  [JSON.stringify({ ...record, machines: undefined }), /machines/],
])('%j is an error of this lab, and only of this one', (text, reason) => {
  writeRecord(places(), { ...record, name: 'good', machines: [{ name: 'good-1', index: 1 }] });
  writeRecord(places(), record);
  const file = join(labDir(places(), 't'), 'lab.json');
  writeFileSync(file, text);
  expect(() => readRecord(places(), 't')).toThrow(
    expect.objectContaining({ code: 'KX6023', params: { name: 't', file, reason: expect.stringMatching(reason) } }),
  );
  const { records, broken } = readRecords(places());
  expect(records.map((one) => one.name)).toEqual(['good']);
  expect(broken).toMatchObject([{ name: 't', error: { code: 'KX6023' } }]);
  expect(readFileSync(file, 'utf8')).toBe(text);
});
