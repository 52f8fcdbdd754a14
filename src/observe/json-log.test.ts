import { chmodSync, mkdtempSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { everyEvent } from '../../test/rig/every-event.ts';
import type { EventError, RunEvent } from '../model/event.ts';
import { openJsonLog } from './json-log.ts';
import { Redactor } from './redact/redactor.ts';
import { fanOut } from './sink.ts';

let dir: string;
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'kubexm-log-'));
});
afterEach(() => rmSync(dir, { recursive: true, force: true }));

function lines(file: string): Record<string, unknown>[] {
  return readFileSync(file, 'utf8')
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as Record<string, unknown>);
}

describe('the JSON log', () => {
  it('writes one line for each event, with the fields everybody searches for', async () => {
    const file = join(dir, 'logs/run-1.json');
    const log = await openJsonLog(file);
    const events = everyEvent();
    for (const event of events) log.write(event);
    await log.close?.();
    const written = lines(file);
    expect(written).toHaveLength(events.length);
    for (const line of written) {
      expect(line).toMatchObject({
        timestamp: '2023-11-14T22:13:20.000Z',
        level: expect.stringMatching(/^(debug|info|warn|error)$/),
        pipeline_id: 'run-1',
        message: expect.stringMatching(/./),
      });
    }
    expect(written.find((line) => line['outcome'] === 'failed' && line['event'] === 'node-finished')).toMatchObject({
      level: 'error',
      module: 'etcd',
      task: 'etcd/install',
      step: 'unit',
      node: 'etcd/install/unit@node1',
      host: 'node1',
      duration_ms: 1500,
      code: 'KX4002',
      detail: 'line one\nline two',
      message: 'etcd/install/unit@node1: failed (1.5 s): KX4002 step etcd/install/unit@node1 failed: exit code 1',
    });
    expect(written.find((line) => line['event'] === 'node-output')).toMatchObject({
      exit_code: 1,
      stdout: 'out',
      stderr: 'err',
    });
  });

  it('is readable by its owner only, also when the file was there', async () => {
    const file = join(dir, 'run.json');
    writeFileSync(file, '');
    chmodSync(file, 0o644);
    const log = await openJsonLog(file);
    await log.close?.();
    expect(statSync(file).mode & 0o777).toBe(0o600);
  });

  it('goes on with a file it wrote before', async () => {
    const file = join(dir, 'run.json');
    for (let i = 0; i < 2; i++) {
      const log = await openJsonLog(file);
      log.write(everyEvent()[0]!);
      await log.close?.();
    }
    expect(lines(file)).toHaveLength(2);
  });

  it('leaves out what is below its level', async () => {
    const file = join(dir, 'run.json');
    const log = await openJsonLog(file, { level: 'error' });
    for (const event of everyEvent()) log.write(event);
    await log.close?.();
    expect(new Set(lines(file).map((line) => line['level']))).toEqual(new Set(['error']));
  });

  it('holds no planted secret', async () => {
    const file = join(dir, 'run.json');
    const redactor = new Redactor();
    redactor.add('planted-Secret-77');
    const write = fanOut(redactor, [await openJsonLog(file)]);
    const planted = everyEvent((text) => `${text}planted-Secret-77`);
    for (const event of planted) write(event);
    await write.close();
    expect(lines(file)).toHaveLength(planted.length);
    expect(readFileSync(file, 'utf8')).not.toContain('planted-Secret');
  });

  it('says which file cannot be opened, and follows no link', async () => {
    writeFileSync(join(dir, 'plain'), '');
    await expect(openJsonLog(join(dir, 'plain/run.json'))).rejects.toMatchObject({ code: 'KX8006' });
    symlinkSync(join(dir, 'elsewhere'), join(dir, 'link.json'));
    await expect(openJsonLog(join(dir, 'link.json'))).rejects.toMatchObject({ code: 'KX8006' });
  });

  it('reports a full disk once and lets the run go on', async () => {
    const log = await openJsonLog('/dev/full');
    const reported: EventError[] = [];
    log.connect?.((error) => reported.push(error));
    const event: RunEvent = everyEvent()[0]!;
    for (let i = 0; i < 20; i++) {
      log.write(event);
      await new Promise((resolve) => setTimeout(resolve, 1));
    }
    await log.close?.();
    expect(reported).toMatchObject([{ code: 'KX8006', params: { file: '/dev/full' } }]);
  });

  it('takes a hundred thousand events without making the caller wait', async () => {
    const file = join(dir, 'run.json');
    const log = await openJsonLog(file);
    const event = everyEvent().find((one) => one.type === 'node-finished')!;
    for (let i = 0; i < 100_000; i++) log.write(event);
    await log.close?.();
    expect(lines(file)).toHaveLength(100_000);
  });
});
