import { describe, expect, test } from 'vitest';
import { kubexmError } from '../../model/errors/index.ts';
import { survey, whyNowhere } from './survey.ts';
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
  const timed = { recipe: 'runc', cold: true, cpuSeconds: 30, seconds: 32 };
  const builds = [{ ...timed, name: 'runc', programs: ['runc'], megabytes: 100 }];

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

  test('one whose files cannot be told is passed over, with its reason', async () => {
    const broken = { ...source('mirror', undefined), key: () => Promise.reject(silent) };
    expect(await ask(broken)).toEqual({
      job,
      whys: [{ source: 'mirror', error: silent }],
      missing: [],
      builds: [],
    });
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

describe('what comes from nowhere', () => {
  const etcd = { ...job, component: 'etcd', version: '3.6.0' };
  const optional = { ...job, component: 'extra', optional: true };
  const whyOf = async (sources: readonly Source[], ...jobs: readonly FilesJob[]) =>
    whyNowhere({ sources }, await survey({ sources }, jobs, io));

  test('everything is named in one error, with the reasons once', async () => {
    const error = await whyOf([source('upstream', { why: silent })], job, etcd);
    expect(error).toMatchObject({ code: 'KX7016', params: { what: 'runc 1.4.3, etcd 3.6.0', sources: 'upstream' } });
    expect(error?.detail?.match(/example\.org/g)).toHaveLength(1);
  });

  test('that no source offers it is another error than that none answers', async () => {
    expect(await whyOf([source('go', {}, false)], job)).toMatchObject({ code: 'KX7015', params: { sources: 'go' } });
  });

  test('an optional component is not missed, but nobody goes on past a server that is not trusted', async () => {
    expect(await whyOf([source('upstream', { why: silent })], optional)).toBeUndefined();
    expect(await whyOf([source('upstream', {})], job)).toBeUndefined();
    const untrusted = kubexmError('KX7071', { host: 'example.org', reason: 'self-signed certificate' });
    expect(await whyOf([source('upstream', { why: untrusted })], optional)).toBe(untrusted);
  });
});
