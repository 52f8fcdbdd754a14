import { createPrivateKey } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { localMachine } from '../../src/host/connect.ts';
import type { LinkedMachine } from '../../src/host/machine.ts';
import { LOCAL } from '../../src/model/host.ts';
import { sh } from '../../src/model/script.ts';
import { makeAuthority } from '../../src/pki/index.ts';
import { on, parallel, sequence } from '../../src/plan/combinators.ts';
import { buildGraph } from '../../src/plan/graph.ts';
import type { ExecutionFragment } from '../../src/plan/node.ts';
import { member } from '../../src/plan/ref.ts';
import { renderJson } from '../../src/plan/render/json.ts';
import { defineStep } from '../../src/plan/step.ts';
import { certificate, certificateAuthority, clientKubeconfig, keyPair, upload } from '../../src/step/generic/index.ts';
import { put } from '../contract/case.ts';
import { snapshot } from '../contract/tree.ts';
import { local, Rig, task } from '../rig/engine.ts';
import { filesBelow } from '../support/files-below.ts';
import { watchProcesses } from '../support/watch-processes.ts';

const fails = defineStep<object>()({
  kind: 'fails',
  description: 'fails',
  title: () => 'fails',
  apply: () => sh`echo no luck >&2; exit 3`,
  example: {},
});

let dir: string;
let machine: LinkedMachine;
let rig: Rig;
beforeEach(async () => {
  dir = mkdtempSync(join(tmpdir(), 'kubexm-certificates-'));
  mkdirSync(join(dir, 'host'));
  machine = await localMachine({ stateDir: join(dir, 'state'), runDir: join(dir, 'run'), sudo: false });
  rig = new Rig([]);
});
afterEach(async () => {
  await machine.close();
  rmSync(dir, { recursive: true, force: true });
});

const certs = (...names: string[]) => join(dir, 'certs', ...names);
const run = (plan: ExecutionFragment, more = {}) => rig.run(plan, { machines: new Map([[LOCAL, machine]]), ...more });

/** What a cluster would do: a CA of the user, one of kubexm's, certificates, keys, a kubeconfig; some of it sent to a host. */
function plan(names: readonly string[] = ['etcd1']): ExecutionFragment {
  const from = { caFile: join(dir, 'my.crt'), keyFile: join(dir, 'my.key') };
  const named = (name: string) => ({ name });
  const cluster = on(
    local,
    certificateAuthority({ directory: certs('kubernetes'), commonName: 'ca', from }),
    named('ca'),
  );
  const etcd = on(local, certificateAuthority({ directory: certs('etcd'), commonName: 'etcd-ca' }), named('etcd-ca'));
  const server = certificate({
    directory: certs('etcd'),
    name: 'member',
    issuer: etcd.ref(),
    subject: { commonName: 'etcd1' },
    names,
    usages: ['server', 'client'],
  });
  const serving = on(local, server, named('member'));
  const subject = { commonName: 'kubernetes-admin', organizations: ['system:masters'] };
  const admin = on(
    local,
    certificate({ directory: certs('kubernetes'), name: 'admin', issuer: cluster.ref(), subject, usages: ['client'] }),
    named('admin'),
  );
  const config = on(
    local,
    clientKubeconfig({
      path: certs('kubernetes', 'admin.conf'),
      cluster: 'lab',
      server: 'https://192.0.2.1:6443',
      user: 'kubernetes-admin',
      certificate: admin.ref(),
    }),
    named('admin.conf'),
  );
  const accounts = on(local, keyPair({ directory: certs('kubernetes'), name: 'sa' }), named('sa'));
  const sent = on(
    local,
    upload({ source: member(serving.ref(), 'key'), path: join(dir, 'host', 'member.key'), mode: '0600' }),
    named('send'),
  );
  return task('pki/certificates', parallel(cluster, etcd, serving, admin, config, accounts, sent));
}

test('a run makes everything, the next one nothing; no key is shown by either, nor by a dry run, plan, journal or process', async () => {
  const mine = await makeAuthority(
    { subject: { commonName: 'mine' }, keyAlgorithm: 'ecdsa-p256', validityDays: 100 },
    new Date(),
  );
  put(join(dir, 'my.crt'), mine.certificate);
  put(join(dir, 'my.key'), mine.key, 0o600);
  const watch = watchProcesses(['cmdline', 'environ']);
  const dry = await run(plan(), { dryRun: true });
  expect(dry.failures).toEqual([]);
  expect(existsSync(certs())).toBe(false);
  const shown = (type: 'node-started' | 'node-finished') =>
    Object.fromEntries(rig.of(type).map(({ node, diff }) => [node, diff]));
  const predicted = shown('node-finished');
  expect(Object.keys(predicted)).toHaveLength(7);
  rig.events = [];
  const first = await run(plan());
  expect(first.failures).toEqual([]);
  expect(first.counts).toEqual({ changed: 7 });
  expect(shown('node-started')).toEqual(predicted);
  expect((await run(plan())).counts).toEqual({ satisfied: 7 });
  const renewed = await run(plan(['etcd1', 'etcd1.example.org']));
  expect(renewed.counts).toEqual({ changed: 2, satisfied: 5 });
  const words = await watch.stop();

  const keys = filesBelow(dir).filter((path) => path.endsWith('.key') && path.startsWith(certs()));
  expect(keys).toHaveLength(5);
  const told = JSON.stringify([
    predicted,
    dry,
    first,
    renewed,
    rig.events,
    rig.journal.records,
    renderJson(buildGraph(plan())),
  ]);
  expect(told).toContain('etcd-ca');
  const elsewhere = filesBelow(dir).filter(
    (path) => !path.startsWith(certs()) && !path.endsWith('.key') && !path.endsWith('/image'),
  );
  for (const path of keys) {
    const text = readFileSync(path, 'utf8');
    const der = createPrivateKey(text).export({ type: 'pkcs8', format: 'der' });
    // From its middle, where no two keys are equal, in every way it could have been written.
    const secret = der.subarray(40, 64);
    for (const form of [text.split('\n')[1] ?? '', secret.toString('hex'), secret.toString('base64')]) {
      expect(told.includes(form), path).toBe(false);
      expect(words.filter((word) => word.includes(form))).toEqual([]);
      for (const file of elsewhere) expect(readFileSync(file).includes(form), file).toBe(false);
    }
  }
  // Before-images of keys are for their owner alone too.
  for (const path of filesBelow(join(dir, 'state')).filter((one) => one.endsWith('/image'))) {
    expect(statSync(path).mode & 0o077, path).toBe(0);
  }
});

test('a task that fails puts everything back: what is new goes, what was renewed is the old pair again', async () => {
  put(join(dir, 'my.crt'), '');
  const broken = await run(plan());
  expect(broken.failures).toMatchObject([{ error: { code: 'KX5101' } }]);
  expect(filesBelow(certs())).toEqual([]);

  const mine = await makeAuthority(
    { subject: { commonName: 'mine' }, keyAlgorithm: 'ecdsa-p256', validityDays: 100 },
    new Date(),
  );
  put(join(dir, 'my.crt'), mine.certificate);
  put(join(dir, 'my.key'), mine.key, 0o600);
  expect((await run(plan())).failures).toEqual([]);
  const before = snapshot(certs());
  const bad = sequence(plan(['etcd1', 'other']), task('pki/certificates', on(local, fails({}), { name: 'fails' })));
  // A run of its own: before-images are kept for each.
  const result = await run(bad, { run: 'r2' });
  expect(result.counts).toMatchObject({ reverted: 2, failed: 1 });
  expect(snapshot(certs())).toEqual(before);
});
