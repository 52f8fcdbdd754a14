import { describe, expect, test } from 'vitest';
import { kubexmError } from '../model/errors/index.ts';
import { survey } from './survey.ts';
import type { FilesJob, Outlook, Source } from './types.ts';

const job: FilesJob = {
  kind: 'files',
  component: 'runc',
  version: '1.4.3',
  group: 'runtime',
  optional: false,
  arch: 'amd64',
  files: [],
  builds: [],
};
const io = { env: {}, signal: new AbortController().signal };
const silent = kubexmError('KX7070', { host: 'example.org', seconds: 3, reason: 'nothing came' });

/** A source that must only be asked, never used. */
function source(name: string, outlook: Outlook | undefined, offers = true): Source {
  return {
    name,
    vouches: 'upstream',
    key: async () => (offers ? name : undefined),
    get: async () => {
      throw new Error('nothing is got by asking');
    },
    ...(outlook === undefined ? {} : { outlook: async () => outlook }),
  };
}

const ask = async (...sources: Source[]) => (await survey({ sources }, [job], io))[0];

describe('a survey', () => {
  const missing = [{ need: 'gcc', by: 'runc 1.4.3' }];
  const builds = [{ name: 'runc', programs: ['runc'], cpuSeconds: 30, megabytes: 100 }];

  test('what the first source that answers needs is what counts', async () => {
    const found = await ask(source('upstream', { why: silent }), source('go', { missing, builds }), source('late', {}));
    expect(found).toEqual({ job, source: 'go', whys: [{ source: 'upstream', error: silent }], missing, builds });
  });

  test('one that answers is not passed over for one that builds', async () => {
    const found = await ask(source('upstream', {}), source('go', { missing, builds }));
    expect(found).toMatchObject({ source: 'upstream', missing: [], builds: [] });
    expect(await ask(source('plain', undefined))).toMatchObject({ source: 'plain', missing: [] });
  });

  test('one that cannot even be asked is passed over', async () => {
    const broken = { ...source('mirror', undefined), outlook: () => Promise.reject(silent) };
    expect(await ask(broken, source('go', {}))).toMatchObject({ source: 'go', whys: [{ source: 'mirror' }] });
  });

  test('nor is one whose certificate is not trusted passed over', async () => {
    const untrusted = kubexmError('KX7071', { host: 'example.org', reason: 'self-signed certificate' });
    const found = await ask(source('upstream', { why: untrusted }), source('go', { missing, builds }));
    expect(found).toEqual({ job, whys: [{ source: 'upstream', error: untrusted }], missing: [], builds: [] });
  });

  test('sources that do not offer it are not asked', async () => {
    expect(await ask(source('go', { missing }, false), source('upstream', { why: silent }))).toEqual({
      job,
      whys: [{ source: 'upstream', error: silent }],
      missing: [],
      builds: [],
    });
  });
});
