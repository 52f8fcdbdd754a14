import { spawn } from 'node:child_process';
import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { expect, test } from 'vitest';
import { isDigest, parseReference } from '../../src/artifacts/oci/index.ts';
import { program } from '../rig/programs.ts';
import { randoms, seed, some } from '../rig/thorough.ts';
import { arriving, sampleImage, Workshop } from './workshop.ts';

const at = new Workshop();

/** Pulls an image into a store, in a process of its own. */
const CHILD = `
  const [module, dir, host] = process.argv.slice(1);
  const { openBlobStore, openRegistry, parseReference } = await import(module);
  const registry = openRegistry({ registry: host, plainHttp: true });
  await registry.pull(await openBlobStore(dir), parseReference(host + '/team/tool:1'));
  registry.close();
`;

function start(): { readonly ended: Promise<void>; kill(): void } {
  const module = pathToFileURL(program('oci')).href;
  const args = ['--disable-warning=ExperimentalWarning', '--input-type=module', '-e', CHILD];
  const child = spawn(process.execPath, [...args, module, at.target.dir, at.fake.host], {
    stdio: 'ignore',
  });
  return {
    ended: new Promise((resolve) => child.once('close', () => resolve())),
    kill: () => void child.kill('SIGKILL'),
  };
}

function begun(part: string): boolean {
  return (statSync(join(at.target.dir, 'ingest', part), { throwIfNoEntry: false })?.size ?? 0) > 0;
}

/** Every blob that has its name is right. */
async function expectSound(): Promise<void> {
  for (const hex of readdirSync(join(at.target.dir, 'blobs/sha256'))) {
    const digest = `sha256:${hex}`;
    expect(isDigest(digest) && (await at.target.verify(digest)), `${digest}, seed ${seed}`).toBe(true);
  }
}

test('killed at random moments: no bad blob, and the next one goes on', { timeout: 120_000 }, async () => {
  const { index } = await sampleImage(at.source, 1_000_000);
  const reference = parseReference(`${at.fake.host}/team/tool:1`);
  await at.open().push(at.source, index, reference);
  let sent = 0;
  // A slow line, so that there is something to kill.
  at.fake.fault = (request, response) => {
    const bytes = at.fake.blobs.get((request.url ?? '').replace(/^.*\/blobs\//, ''));
    if (request.method !== 'GET' || bytes === undefined) return false;
    const from = Number(/^bytes=([0-9]+)-/.exec(request.headers.range ?? '')?.[1] ?? 0);
    response.writeHead(from > 0 ? 206 : 200, {
      'content-length': bytes.length - from,
      ...(from > 0 ? { 'content-range': `bytes ${from}-${bytes.length - 1}/${bytes.length}` } : {}),
    });
    void (async () => {
      for (let i = from; i < bytes.length && !response.destroyed; i += 20_000) {
        response.write(bytes.subarray(i, i + 20_000));
        sent += 20_000;
        await delay(5);
      }
      response.end();
    })();
    return true;
  };
  for (const moment of some(randoms(20), 5)) {
    sent = 0;
    const child = start();
    const { ended } = child;
    const gone = ended.then(() => true);
    while (sent < moment * 400_000 && !(await Promise.race([gone, delay(2)])));
    // Sometimes right away, sometimes while a blob gets its name.
    await delay(((moment * 997) % 1) * 60);
    child.kill();
    await ended;
    await expectSound();
  }
  // At least one of them had begun a blob.
  const last = start();
  const gone = last.ended.then(() => true);
  while (!arriving(at.target).some(begun) && !(await Promise.race([gone, delay(2)])));
  last.kill();
  await last.ended;
  at.fake.fault = () => false;
  const { root } = await at.open().pull(at.target, reference);
  expect(root).toEqual(index);
  await expectSound();
  const resumed = at.fake.seen.filter(({ headers }) => headers.range !== undefined).length;
  expect(resumed, `parts that were used again, seed ${seed}`).toBeGreaterThan(0);
});
