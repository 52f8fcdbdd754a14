import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, afterEach, beforeEach, describe, expect, test } from 'vitest';
import { publishedFiles, readCatalog } from '../../src/artifacts/catalog/index.ts';
import { type SelfSigned, selfSigned } from '../support/certificate.ts';
import { FaultServer, serve } from '../support/fault-server.ts';
import { KUBERNETES, SAMPLE } from './sample.ts';

const script = fileURLToPath(new URL('../../scripts/catalog-digests.mjs', import.meta.url));
const base = mkdtempSync(join(tmpdir(), 'kubexm-digests-'));
const certificate = selfSigned(base);
afterAll(() => rmSync(base, { recursive: true, force: true }));

const hexOf = (letter: string) => letter.repeat(64);

describe.skipIf(certificate === undefined)('the script that asks projects for digests', () => {
  const tls = certificate as SelfSigned;
  let project: FaultServer;
  let directory: string;

  beforeEach(async () => {
    project = await new FaultServer(tls).start();
    directory = mkdtempSync(join(base, 'catalog-'));
    // A part that does not answer, beside one that does.
    const text = SAMPLE.replace('https://example.org/v{version}', `${project.url}/v{version}`);
    writeFileSync(join(directory, 'sample.yaml'), text);
    writeFileSync(join(directory, 'kubernetes.yaml'), KUBERNETES);
    for (const [path, letter] of [
      ['/v1.0.0/sample-amd64.tgz.sha256', 'a'],
      ['/v1.0.0/sample-arm64.tgz.sha256', 'b'],
      ['/v1.10/sample-amd64.tgz.sha256', 'c'],
    ] as const) {
      project.on(path, serve(Buffer.from(`${hexOf(letter)}\n`)));
    }
  });
  afterEach(async () => await project.stop());

  const run = async (...args: readonly string[]) => {
    const child = spawn(process.execPath, [script, '--directory', directory, ...args], {
      env: { ...process.env, NODE_TLS_REJECT_UNAUTHORIZED: '0' },
    });
    let text = '';
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (text += String(chunk)));
    const code = await new Promise<number | null>((resolve) => child.once('close', resolve));
    return { code, text };
  };
  const trusting = (...args: readonly string[]) => run('--ca-file', tls.certFile, ...args);
  const written = () => readFileSync(join(directory, 'digests.json'), 'utf8');
  const known = async () => {
    const catalog = await readCatalog(directory);
    return publishedFiles(catalog, catalog.components.get('sample')!).flatMap(({ version, arch, need }) =>
      need.digest === undefined ? [] : [`${version} ${arch} ${need.digest.slice(0, 8)}`],
    );
  };

  test('keeps what they answer, and asks again only for the rest', async () => {
    const first = await trusting();
    expect(first).toMatchObject({ code: 0, text: expect.stringContaining('3 digests added, 0 known, 3 not found') });
    expect(first.text).toContain('status 404');
    expect(await known()).toEqual(['1.0.0 amd64 sha256:a', '1.0.0 arm64 sha256:b', '1.10 amd64 sha256:c']);
    const text = written();
    project.on('/v1.10/sample-arm64.tgz.sha256', serve(Buffer.from(`${hexOf('d')}\n`)));
    const second = await trusting('sample');
    expect(second.text).toContain('1 digests added, 3 known, 2 not found');
    expect(project.count('/v1.0.0/sample-amd64.tgz.sha256')).toBe(1);
    expect(written()).not.toBe(text);
    expect(await known()).toContain('1.10 arm64 sha256:d');
  });

  test('never replaces one: that a project says something else is an error', async () => {
    await trusting();
    const text = written();
    project.on('/v1.0.0/sample-amd64.tgz.sha256', serve(Buffer.from(`${hexOf('e')}\n`)));
    const { code, text: said } = await trusting('--all');
    expect(code).toBe(1);
    expect(said).toContain(`the project says sha256:${hexOf('e')}`);
    expect(written()).toBe(text);
  });

  test('believes nobody whose certificate is not trusted', async () => {
    const { code, text } = await run();
    expect(code).toBe(1);
    expect(text).toMatch(/certificate of 127\.0\.0\.1:\d+ is not trusted/);
    expect(await known()).toEqual([]);
  });
});
