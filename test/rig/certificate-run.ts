import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { localMachine } from '../../src/host/index.ts';
import type { Host } from '../../src/model/host.ts';
import type { AnyStep } from '../../src/plan/step.ts';
import {
  type Authority,
  type Certified,
  certificate,
  certificateAuthority,
  type KeptKeyPair,
  keyPair,
} from '../../src/step/generic/index.ts';
import { check, io } from '../contract/bench.ts';

/** What a small cluster would have. */
export interface SmallPki {
  readonly ca: Authority;
  readonly member: Certified;
  readonly accounts: KeptKeyPair;
}

/** Applies a step where its check says so, and gives what it is worth then. */
export async function ensure<O>(host: Host, step: AnyStep, want: unknown): Promise<O> {
  const first = await check(host, step, want);
  if (first.verdict === 'needed') await step.apply(host, want, io);
  const last = await check(host, step, want);
  if (last.verdict !== 'satisfied') throw new Error(`${step.kind} is ${last.verdict}: ${JSON.stringify(last)}`);
  return last.output as O;
}

/** Makes a CA, a certificate and a pair of keys in a directory. */
export async function makeSmallPki(dir: string): Promise<SmallPki> {
  const machine = await localMachine({ stateDir: join(dir, 'state'), runDir: join(dir, 'run'), sudo: false });
  const directory = join(dir, 'certs', 'etcd');
  try {
    const ca = await ensure<Authority>(machine, certificateAuthority.definition, { directory, commonName: 'etcd-ca' });
    const member = await ensure<Certified>(machine, certificate.definition, {
      directory,
      name: 'member',
      issuer: ca,
      subject: { commonName: 'member' },
      names: ['member'],
      usages: ['server', 'client'],
    });
    const accounts = await ensure<KeptKeyPair>(machine, keyPair.definition, { directory, name: 'sa' });
    return { ca, member, accounts };
  } finally {
    await machine.close();
  }
}

/** Ends this process as a power cut would, right before or after a file gets its name. */
function dieAt(count: number, when: string): void {
  const real = fs.promises.rename;
  let seen = 0;
  fs.promises.rename = async (from, to) => {
    seen += 1;
    if (seen === count && when === 'before') process.kill(process.pid, 'SIGKILL');
    await real(from, to);
    if (seen === count) process.kill(process.pid, 'SIGKILL');
  };
  syncBuiltinESMExports();
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  const [dir = '', count = '', when = ''] = process.argv.slice(2);
  dieAt(Number(count), when);
  await makeSmallPki(dir);
}
