import { readFileSync } from 'node:fs';
import { basename } from 'node:path';
import type { Host, Output } from '../../model/host.ts';
import { kubeconfigText } from '../../pki/index.ts';
import { defineStep, needed, type StepIo, satisfied, type Verdict } from '../../plan/step.ts';
import type { Certified } from './certificate.ts';
import type { Kept } from './lib/kept.ts';
import { readKept, writeKept } from './lib/kept-file.ts';
import { isPrivate, lookAtFiles, onlyLocal, parseFiles } from './lib/kept-pem.ts';
import { absolute } from './lib/path.ts';
import { metaOf, type SeenMeta } from './lib/seen-file.ts';
import { sha256 } from './lib/write.ts';

/** A kubeconfig in the work directory, for one user who has a certificate. */
export interface ClientKubeconfig {
  readonly path: string;
  readonly cluster: string;
  /** `https://lb.kubexm.local:6443` */
  readonly server: string;
  readonly user: string;
  /** What the step of the certificate gives. */
  readonly certificate: Certified;
  /** CAs that may have signed the server's certificate. Default: the one that signed the user's. */
  readonly authorities?: Kept;
}

/** Makes a kubeconfig with certificate and key inside. It follows them: one that is renewed is put in. */
export const clientKubeconfig = defineStep<ClientKubeconfig>()({
  kind: 'clientKubeconfig',
  description:
    'A kubeconfig in the work directory with a certificate and its key inside, mode 0600; gives its path and digest.',
  title: (want) => `kubeconfig ${basename(String(want.path))}`,
  probe: (want) => lookAtFiles([{ path: absolute(want.path), secret: true }]),
  judge,
  apply: make,
  saves: (want) => [want.path],
  example: {
    path: '/tmp/kubexm/certs/kubernetes/admin.conf',
    cluster: 'example',
    server: 'https://lb.kubexm.local:6443',
    user: 'kubernetes-admin',
    certificate: {
      certificate: { path: '/tmp/kubexm/certs/kubernetes/admin.crt', sha256: '0'.repeat(64) },
      key: { path: '/tmp/kubexm/certs/kubernetes/admin.key', sha256: '0'.repeat(64) },
      ca: { path: '/tmp/kubexm/certs/kubernetes/ca.crt', sha256: '0'.repeat(64) },
    },
  },
});

/** Compares texts here, because what a probe prints passes through a shell: a key must not. */
function judge(output: Output, want: ClientKubeconfig): Verdict<SeenMeta, Kept> {
  const [file] = parseFiles(output);
  const seen = metaOf(file);
  if (file.type === 'absent') return needed(seen, [{ what: want.path, to: `${want.user} at ${want.server}` }]);
  if (!isPrivate(file)) return needed(seen, [{ what: `${want.path}: mode`, to: '0600' }]);
  // Before the certificate is made, a dry run has only its name.
  const text = typeof want.certificate === 'object' ? textFor(want) : undefined;
  if (text === undefined || readFileSync(want.path, 'utf8') !== text)
    return needed(seen, [{ what: want.path, from: 'other content', to: `${want.user} at ${want.server}` }]);
  return satisfied<Kept>({ path: want.path, sha256: sha256(text) });
}

async function make(host: Host, want: ClientKubeconfig, io: StepIo): Promise<Kept> {
  onlyLocal(host, 'clientKubeconfig');
  // Through the host, so that the before-image is kept before this process writes.
  await host.run(lookAtFiles([{ path: absolute(want.path), secret: true }]), { signal: io.signal });
  return await writeKept(want.path, textFor(want));
}

function textFor({
  cluster,
  server,
  user,
  certificate: { certificate, key, ca },
  authorities,
}: ClientKubeconfig): string {
  return kubeconfigText({
    cluster,
    server,
    user,
    authorities: readKept(authorities ?? ca),
    certificate: readKept(certificate),
    key: readKept(key),
  });
}
