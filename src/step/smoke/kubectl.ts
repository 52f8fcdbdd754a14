import type { Output } from '../../model/host.ts';
import { type Script, sh } from '../../model/script.ts';
import { KUBECTL } from '../generic/index.ts';
import { KUBERNETES } from '../kubeadm/index.ts';
import { SMOKE } from './objects.ts';

/** kubectl as the administrator, in the namespace of the check. One that waits says itself for how long. */
export function kubectl(words: readonly string[], timeout: Script = sh`--request-timeout=15s`): Script {
  return sh`${KUBECTL} --kubeconfig ${KUBERNETES.adminConf} ${timeout} -n ${SMOKE.namespace} ${words}`;
}

/** Lets a pod of the check find something out. It is asked by way of the kubelet: the network of pods may be what is broken. */
export function askPod(pod: string, question: string): Script {
  return kubectl(['exec', pod, '--', `/${SMOKE.name}`, '-ask', question]);
}

/** Asks any address over HTTP: the one client that a control plane surely has is kubectl. It gets no credentials. */
export function askAddress(url: string, path: string): Script {
  return sh`no_proxy='*' NO_PROXY='*' ${KUBECTL} --kubeconfig /dev/null --server ${url} --request-timeout=5s get --raw ${path}`;
}

/** Why it did not succeed, in one line: what the pod said, else the last thing that kubectl said. */
export function reasonOf({ stdout, stderr }: Pick<Output, 'stdout' | 'stderr'>): string {
  return saidIn(stdout) ?? stderr.trim().split('\n').at(-1) ?? '';
}

function saidIn(stdout: string): string | undefined {
  try {
    const { error } = JSON.parse(stdout) as { readonly error?: unknown };
    return typeof error === 'string' ? error : undefined;
  } catch {
    return undefined;
  }
}
