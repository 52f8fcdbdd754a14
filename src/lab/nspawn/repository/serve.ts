import { createReadStream, statSync } from 'node:fs';
import { createServer, type Server, type ServerResponse } from 'node:http';
import { run } from '../run.ts';
import { wantedFile } from './request.ts';
import { type Download, Store } from './store.ts';

/** The configuration of the process that serves packages. */
export interface RepositoryConfig {
  readonly address: string;
  readonly port: number;
  /** Where downloads are kept. */
  readonly cache: string;
  /** The box's own sources, in the order in which machines number them. */
  readonly sources: readonly string[];
  readonly aptHelper: string;
}

/** Serves Debian repositories to machines, filled by the box's own apt: its proxies, its certificates, its passwords. */
export function repositoryServer(config: RepositoryConfig, download: Download = byApt(config.aptHelper)): Server {
  const store = new Store(config.cache, download);
  return createServer((request, response) => {
    const wanted = wantedFile(config.sources, request.url ?? '');
    if (request.method !== 'GET' && request.method !== 'HEAD') return answer(response, 405);
    if (wanted === undefined) return answer(response, 404);
    void store.get(wanted).then(
      (file) => {
        if (file === undefined) return answer(response, 404);
        const { size, mtime } = statSync(file);
        response.writeHead(200, { 'Content-Length': size, 'Last-Modified': mtime.toUTCString() });
        if (request.method === 'HEAD') response.end();
        else
          createReadStream(file)
            .on('error', () => response.destroy())
            .pipe(response);
      },
      () => answer(response, 502),
    );
  });
}

function answer(response: ServerResponse, status: number): void {
  response.writeHead(status, { 'Content-Length': 0 }).end();
}

function byApt(helper: string): Download {
  return async (uri, file) => {
    const options = ['-q', '-o', 'APT::Sandbox::User=root', '-o', 'Acquire::Retries=2'];
    const { code, stdout, stderr } = await run(helper, [...options, 'download-file', uri, file]);
    if (code === 0) return 'done';
    return /\b404\b|File not found|does not exist/.test(stdout + stderr) ? 'absent' : 'failed';
  };
}
