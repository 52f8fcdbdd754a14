import { readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { content, Downloading, digest, other, sha256 } from '../../../test/support/downloading.ts';
import { cut, FaultServer, serve } from '../../../test/support/fault-server.ts';
import { absent, bytes, seen } from '../../../test/support/seen.ts';
import type { Host } from '../../model/host.ts';
import { type Download, download } from './download.ts';

const at = new Downloading();

describe('a good at.server', () => {
  test('the file comes whole, with nothing beside it', async () => {
    const url = at.server.on('/f', serve(content));
    expect(await at.get([url], { sha256 })).toEqual({ path: at.path, sha256, bytes: content.length });
    expect(readFileSync(at.path).equals(content)).toBe(true);
    expect(readdirSync(join(at.path, '..'))).toEqual(['file']);
    expect(statSync(at.path).mode & 0o777).toBe(0o644);
    expect(at.progress.at(-1)).toEqual([content.length, content.length]);
  });

  test('an empty file', async () => {
    expect(await at.get([at.server.on('/f', serve(Buffer.alloc(0)))])).toMatchObject({ bytes: 0 });
  });

  test('chunked, without a length', async () => {
    const url = at.server.on('/f', (_request, response) => void response.end(content));
    expect(await at.get([url])).toMatchObject({ sha256 });
  });

  test('redirects, to another address too', async () => {
    const there = at.server.on('/there', serve(content));
    at.server.on('/two', (_request, response) => void response.writeHead(307, { location: there }).end());
    const url = at.server.on('/one', (_request, response) => void response.writeHead(302, { location: 'two' }).end());
    expect(await at.get([url], { sha256 })).toMatchObject({ sha256 });
  });

  test('a password goes to its own at.server only, and into no message', async () => {
    const elsewhere = await new FaultServer().start();
    try {
      const there = elsewhere.on('/there', serve(content));
      const url = at.server.on('/f', (_request, response) => void response.writeHead(302, { location: there }).end());
      await at.get([url.replace('http://', 'http://me:s3cret@')]);
      expect(at.server.requests[0]?.headers.authorization).toBe(`Basic ${Buffer.from('me:s3cret').toString('base64')}`);
      expect(elsewhere.requests[0]?.headers.authorization).toBeUndefined();
      expect(at.redacted).toEqual(['s3cret']);
      const note = readFileSync(`${at.path}.kubexm.json`, 'utf8');
      expect(note).not.toContain('s3cret');
      rmSync(at.path);
      const detail = await at.failure(
        at.get([`${at.server.url.replace('http://', 'http://me:s3cret@')}/missing?token=s3cret`]),
      );
      expect(detail).toContain('/missing: status 404');
      expect(detail).not.toContain('s3cret');
    } finally {
      await elsewhere.stop();
    }
  });
});

describe('checksums', () => {
  test.each<[string, string]>([
    ['bare', `${sha256}\n`],
    ['in a list', `${digest(other)}  other\n${sha256}  f\n`],
    ['sha512', `${digest(content, 'sha512')} *f`],
  ])('%s', async (_name, text) => {
    const url = at.server.on('/f', serve(content));
    const checksumUrl = at.server.on('/f.sum', (_request, response) => void response.end(text));
    expect(await at.get([url], { checksumUrl })).toMatchObject({ sha256 });
    expect(JSON.parse(readFileSync(`${at.path}.kubexm.json`, 'utf8'))).toEqual({ sha256, url });
  });

  test('a list without the file', async () => {
    const checksumUrl = at.server.on('/f.sum', (_request, response) => void response.end('<html>'));
    expect(await at.failure(at.get([at.server.on('/f', serve(content))], { checksumUrl }))).toContain(
      'no sha256 or sha512 of f or file',
    );
    expect(at.server.count('/f')).toBe(0);
  });

  test('wrong content, twice the same: not asked again', async () => {
    const detail = await at.failure(at.get([at.server.on('/f', serve(other))], { sha256 }));
    expect(detail).toContain(`sha256 is ${digest(other)}, expected is ${sha256}`);
    expect(at.server.count('/f')).toBe(1);
    expect(readdirSync(join(at.path, '..'))).toEqual([]);
  });

  test('wrong content by sha512', async () => {
    const checksumUrl = at.server.on('/f.sum', (_request, response) => void response.end(digest(other, 'sha512')));
    expect(await at.failure(at.get([at.server.on('/f', serve(content))], { checksumUrl }))).toContain('sha512 is');
  });
});

describe('mirrors', () => {
  test('in their order, the first that delivers', async () => {
    const good = at.server.on('/good', serve(content));
    const never = at.server.on('/never', serve(content));
    const wrong = at.server.on('/wrong', serve(other));
    expect(
      await at.get(['http://127.0.0.1:1/x', `${at.server.url}/missing`, wrong, good, never], { sha256, attempts: 2 }),
    ).toMatchObject({ sha256 });
    expect(at.server.requests.map((request) => request.path)).toEqual(['/missing', '/wrong', '/good']);
  });

  test('all fail: every reason is reported', async () => {
    const down = at.server.on('/down', (_request, response) => void response.writeHead(503).end());
    const detail = await at.failure(
      at.get(['http://127.0.0.1:1/x', `${at.server.url}/missing`, down], { attempts: 2 }),
    );
    expect(detail.split('\n')).toEqual([
      expect.stringMatching(/^http:\/\/127.0.0.1:1\/x: .*ECONNREFUSED/),
      expect.stringMatching(/^http:\/\/127.0.0.1:1\/x: /),
      `${at.server.url}/missing: status 404 Not Found`,
      `${at.server.url}/down: status 503 Service Unavailable`,
      `${at.server.url}/down: status 503 Service Unavailable`,
    ]);
  });

  test('what one began another goes on with, when the digest is known', async () => {
    const one = at.server.on('/one', cut(content, 120_000));
    const two = at.server.on('/two', serve(content, '"other"'));
    expect(await at.get([one, two], { sha256, attempts: 1 })).toMatchObject({ sha256 });
    expect(at.server.requests[1]).toMatchObject({ path: '/two', range: 'bytes=120000-', ifRange: undefined });
  });

  test('and starts over when it is not', async () => {
    const one = at.server.on('/one', cut(content, 120_000));
    const two = at.server.on('/two', serve(content, '"other"'));
    expect(await at.get([one, two], { attempts: 1 })).toMatchObject({ sha256 });
    expect(at.server.requests[1]?.range).toBeUndefined();
  });
});

describe('the step', () => {
  const { judge, apply, saves, probe } = download.definition;
  const want: Download = { urls: ['http://m/f'], path: '/c/f', sha256 };

  test.each<[string, ReturnType<typeof seen>, Partial<Download>, object]>([
    ['there', seen({ sha256, size: 9 }), {}, { verdict: 'satisfied', output: { path: '/c/f', sha256, bytes: 9 } }],
    ['absent', absent, {}, { verdict: 'needed', diff: [{ what: '/c/f', to: `sha256 ${sha256.slice(0, 12)}` }] }],
    ['another', seen({ sha256: 'a'.repeat(64) }), {}, { verdict: 'needed', diff: [{ from: 'another file' }] }],
    [
      'no digest, no note',
      seen({ sha256, rest: '\0' }),
      { sha256: undefined as never },
      { verdict: 'needed', diff: [{ to: 'downloaded' }] },
    ],
    [
      'noted',
      seen({ sha256, rest: `\0${JSON.stringify({ sha256, url: 'http://m/f' })}` }),
      { sha256: undefined as never },
      { verdict: 'satisfied' },
    ],
    [
      'noted, changed since',
      seen({ sha256: 'a'.repeat(64), rest: `\0${JSON.stringify({ sha256, url: 'http://m/f' })}` }),
      { sha256: undefined as never },
      { verdict: 'needed' },
    ],
    [
      'noted from elsewhere',
      seen({ sha256, rest: `\0${JSON.stringify({ sha256, url: 'http://n/f' })}` }),
      { sha256: undefined as never },
      { verdict: 'needed' },
    ],
    ['a broken note', seen({ sha256, rest: '\0{' }), { sha256: undefined as never }, { verdict: 'needed' }],
  ])('judge: %s', (_name, answer, more, verdict) => {
    expect(judge!(answer, { ...want, ...more })).toMatchObject(verdict);
  });

  test('nothing there and nothing noted', () => {
    expect(judge!(bytes('absent\n\0'), { ...want, sha256: undefined as never }).verdict).toBe('needed');
  });

  test('keeps the image of what it writes', () => {
    expect(saves!(want)).toEqual(['/c/f']);
    expect(saves!({ urls: ['http://m/f'], path: '/c/f' })).toEqual(['/c/f', '/c/f.kubexm.json']);
    expect(probe!(want).script).not.toContain('kubexm.json');
  });

  test.each<[string, Partial<Download>, string]>([
    ['no address', { urls: [] }, 'no address'],
    ['a strange address', { urls: ['ftp://x/'] }, 'no http or https'],
    ['a digest that is none', { sha256: 'abc' }, 'no sha256'],
    ['a relative path', { path: 'x' }, 'absolute'],
  ])('refuses %s', async (_name, more, message) => {
    await expect(apply(at.local, { ...want, ...more }, at.io())).rejects.toThrow(message);
  });

  test('refuses to work for another host', async () => {
    await expect(apply({ name: 'node1' } as Host, want, at.io())).rejects.toThrow('local machine only');
  });
});
