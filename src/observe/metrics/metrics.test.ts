import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { createServer } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { everyEvent } from '../../../test/rig/every-event.ts';
import type { RunEvent } from '../../model/event.ts';
import { Redactor } from '../redact/redactor.ts';
import { fanOut } from '../sink.ts';
import { memoryTotals, metricsText, serveMetrics, writeMetricsFile } from './metrics.ts';

let dir: string;
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'kubexm-metrics-'));
});
afterEach(() => rmSync(dir, { recursive: true, force: true }));

function counted(events: readonly RunEvent[] = everyEvent()): ReturnType<typeof memoryTotals> {
  const totals = memoryTotals();
  for (const event of events) totals.write(event);
  return totals;
}

function samples(text: string): readonly string[] {
  return text.split('\n').filter((line) => line !== '' && !line.startsWith('#'));
}

describe('metrics', () => {
  it("have the seed's names and more", async () => {
    const text = await metricsText(counted());
    expect(samples(text)).toEqual(
      expect.arrayContaining([
        'kubexm_pipeline_total{pipeline="create_cluster",status="failure"} 1',
        'kubexm_pipeline_duration_seconds_bucket{le="60",pipeline="create_cluster"} 0',
        'kubexm_pipeline_duration_seconds_bucket{le="120",pipeline="create_cluster"} 1',
        'kubexm_pipeline_duration_seconds_bucket{le="+Inf",pipeline="create_cluster"} 1',
        'kubexm_pipeline_duration_seconds_sum{pipeline="create_cluster"} 90',
        'kubexm_pipeline_duration_seconds_count{pipeline="create_cluster"} 1',
        'kubexm_step_duration_seconds_bucket{le="0.25",step="etcd/install/unit"} 1',
        'kubexm_step_duration_seconds_bucket{le="0.5",step="etcd/install/unit"} 2',
        'kubexm_step_duration_seconds_count{step="etcd/install/unit"} 5',
        'kubexm_node_outcomes_total{outcome="satisfied"} 1',
        'kubexm_node_outcomes_total{outcome="dirty"} 1',
        'kubexm_hosts_lost_total 1',
        'kubexm_run_nodes{pipeline="create_cluster"} 12',
        'kubexm_pipeline_last_finished_timestamp_seconds{pipeline="create_cluster",status="failure"} 1700000000',
      ]),
    );
    expect(text).toContain('# TYPE kubexm_step_duration_seconds histogram');
    expect(text).toContain('# TYPE kubexm_pipeline_total counter');
    expect(text).toContain('# TYPE kubexm_run_nodes gauge');
  });

  it('put what is beyond every bound only into +Inf', async () => {
    const slow = everyEvent().flatMap((event) =>
      event.type === 'node-finished' && event.outcome === 'changed' ? [{ ...event, durationMs: 9_000_000 }] : [],
    );
    const text = await metricsText(counted(slow));
    expect(text).toContain('kubexm_step_duration_seconds_bucket{le="1800",step="etcd/install/unit"} 0');
    expect(text).toContain('kubexm_step_duration_seconds_bucket{le="+Inf",step="etcd/install/unit"} 1');
  });

  it('do not count dry runs', async () => {
    const dry = everyEvent().map((event) => (event.type === 'run-started' ? { ...event, dryRun: true } : event));
    expect(samples(await metricsText(counted(dry)))).toEqual(['kubexm_hosts_lost_total 0']);
  });

  it('hold no planted secret', async () => {
    const redactor = new Redactor();
    redactor.add('planted-Secret-77');
    const totals = memoryTotals();
    const write = fanOut(redactor, [totals]);
    for (const event of everyEvent((text) => `${text}planted-Secret-77`)) write(event);
    const text = await metricsText(totals);
    expect(text).toContain('kubexm_pipeline_total');
    expect(text).not.toContain('planted');
  });
});

describe('writeMetricsFile', () => {
  it('replaces the file at once, readable by the collector, and leaves nothing beside it', async () => {
    const file = join(dir, 'kubexm.prom');
    const before = process.umask(0o077);
    try {
      for (let i = 0; i < 2; i++) await writeMetricsFile(counted(), file);
    } finally {
      process.umask(before);
    }
    expect(readFileSync(file, 'utf8')).toBe(await metricsText(counted()));
    expect(statSync(file).mode & 0o777).toBe(0o644);
    expect(readdirSync(dir)).toEqual(['kubexm.prom']);
  });

  it('says which file cannot be written', async () => {
    await expect(writeMetricsFile(counted(), join(dir, 'no/kubexm.prom'))).rejects.toMatchObject({ code: 'KX8006' });
  });
});

describe('serveMetrics', () => {
  it('answers /metrics and nothing else', async () => {
    const server = await serveMetrics(counted(), { port: 0 });
    try {
      expect(server.url).toBe(`http://127.0.0.1:${server.port}/metrics`);
      const answer = await fetch(server.url);
      expect(answer.headers.get('content-type')).toContain('version=0.0.4');
      expect(await answer.text()).toBe(await metricsText(counted()));
      expect((await fetch(server.url, { method: 'HEAD' })).status).toBe(200);
      expect((await fetch(server.url, { method: 'POST' })).status).toBe(405);
      expect((await fetch(new URL('/', server.url))).status).toBe(404);
    } finally {
      await server.close();
    }
    await expect(fetch(server.url)).rejects.toThrow();
  });

  it('closes although someone keeps a connection open', async () => {
    const server = await serveMetrics(counted(), { port: 0 });
    const socket = connect(server.port, '127.0.0.1');
    await new Promise((resolve) => socket.once('connect', resolve));
    socket.on('error', () => undefined);
    const ended = new Promise((resolve) => socket.once('close', resolve));
    await server.close();
    await ended;
  });

  it('answers 503 when the source fails', async () => {
    const totals = () => {
      throw new Error('locked');
    };
    const server = await serveMetrics({ totals }, { port: 0 });
    try {
      const answer = await fetch(server.url);
      expect([answer.status, await answer.text()]).toEqual([503, 'locked\n']);
    } finally {
      await server.close();
    }
  });

  it('says which address is taken', async () => {
    const other = createServer();
    await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve));
    const { port } = other.address() as AddressInfo;
    await expect(serveMetrics(counted(), { port })).rejects.toMatchObject({
      code: 'KX8007',
      params: { address: `127.0.0.1:${port}` },
    });
    await new Promise((resolve) => other.close(resolve));
  });
});
