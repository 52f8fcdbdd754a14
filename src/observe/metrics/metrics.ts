import { chmod, open, rename, rm } from 'node:fs/promises';
import type { Server, ServerResponse } from 'node:http';
import { type AddressInfo, isIPv6 } from 'node:net';
import { basename, dirname, join } from 'node:path';
import { kubexmError } from '../../model/errors/index.ts';
import { reasonOf } from '../private-file.ts';
import type { Sink } from '../sink.ts';
import { addTo, Tally, type Total } from './totals.ts';

/** Where metrics come from: an event store's reader, which knows every run there was, or this process's memory. */
export interface TotalsSource {
  totals(): readonly Total[];
}

/** Counts in memory, for a process that has no event store. */
export function memoryTotals(): Sink & TotalsSource {
  const tally = new Tally();
  const totals = new Map<string, Total>();
  return {
    name: 'metrics',
    write(event) {
      for (const one of tally.count([event])) addTo(totals, one);
    },
    totals: () => [...totals.values()],
  };
}

/** The metrics as text in Prometheus' format. */
export async function metricsText(source: TotalsSource): Promise<string> {
  const totals = source.totals();
  // Loaded here, so that commands without metrics do not pay for it.
  const { renderMetrics } = await import('./render.ts');
  return renderMetrics(totals);
}

/**
 * Writes the metrics to a file for node_exporter's textfile collector: all of it or nothing, readable by everybody, since the
 * collector runs as another user. Throws KX8006.
 */
export async function writeMetricsFile(source: TotalsSource, path: string): Promise<void> {
  // The collector reads only *.prom, so it never sees this one.
  const draft = join(dirname(path), `.${basename(path)}.${process.pid}.${performance.now()}.tmp`);
  try {
    const file = await open(draft, 'wx', 0o644);
    try {
      await file.writeFile(await metricsText(source));
      await file.sync();
    } finally {
      await file.close();
    }
    await chmod(draft, 0o644);
    await rename(draft, path);
  } catch (error) {
    await rm(draft, { force: true }).catch(() => undefined);
    throw kubexmError('KX8006', { file: path, reason: reasonOf(error) }, { cause: error });
  }
}

/** A running metrics server. */
export interface MetricsServer {
  /** `http://127.0.0.1:9464/metrics` */
  readonly url: string;
  readonly port: number;
  close(): Promise<void>;
}

/** Serves `/metrics` over HTTP; port 0 takes a free one. Throws KX8007. */
export async function serveMetrics(
  source: TotalsSource,
  { host = '127.0.0.1', port }: { readonly host?: string; readonly port: number },
): Promise<MetricsServer> {
  const { createServer } = await import('node:http');
  const server = createServer((request, response) => {
    const path = (request.url ?? '').split('?')[0];
    if (path !== '/metrics') return answer(response, 404, 'see /metrics\n');
    if (request.method !== 'GET' && request.method !== 'HEAD') return answer(response, 405, 'read only\n');
    metricsText(source).then(
      (text) => answer(response, 200, text, 'text/plain; version=0.0.4; charset=utf-8'),
      (error: unknown) => answer(response, 503, `${reasonOf(error)}\n`),
    );
  });
  server.headersTimeout = 10_000;
  server.requestTimeout = 10_000;
  const shown = isIPv6(host) ? `[${host}]` : host;
  await listen(server, host, port).catch((error: unknown) => {
    throw kubexmError('KX8007', { address: `${shown}:${port}`, reason: reasonOf(error) }, { cause: error });
  });
  const taken = (server.address() as AddressInfo).port;
  return {
    url: `http://${shown}:${taken}/metrics`,
    port: taken,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

function listen(server: Server, host: string, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, () => {
      server.off('error', reject);
      resolve();
    });
  });
}

function answer(response: ServerResponse, status: number, text: string, type = 'text/plain; charset=utf-8'): void {
  response.writeHead(status, { 'content-type': type, 'content-length': Buffer.byteLength(text) });
  response.end(text);
}
