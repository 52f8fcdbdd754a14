import { type Script, sh } from '../../model/script.ts';
import { KUBERNETES } from '../kubeadm.ts';
import { SMOKE } from './objects.ts';

/** kubectl as the administrator, in the namespace of the check. One that waits says itself for how long. */
export function kubectl(words: readonly string[], timeout: Script = sh`--request-timeout=15s`): Script {
  return sh`kubectl --kubeconfig ${KUBERNETES.adminConf} ${timeout} -n ${SMOKE.namespace} ${words}`;
}

/** Asks a pod of the check over HTTP, by way of the API server. */
export function askPod(pod: string, path: string): Script {
  return kubectl(['get', '--raw', `/api/v1/namespaces/${SMOKE.namespace}/pods/${pod}:${SMOKE.port}/proxy${path}`]);
}

/** Asks any address over HTTP: the one client that a control plane surely has is kubectl. It gets no credentials. */
export function askAddress(url: string, path: string): Script {
  return sh`no_proxy='*' NO_PROXY='*' kubectl --kubeconfig /dev/null --server ${url} --request-timeout=5s get --raw ${path}`;
}

/** Why kubectl did not succeed, in one line: what the pod said, else the last thing that kubectl said. */
export function reasonOf(stderr: string): string {
  // The answer of a pod is quoted twice: as JSON, and by kubectl.
  const [, said] = /\\"error\\":\\"((?:[^"\\]|\\\\.)*)\\"/.exec(stderr) ?? [];
  if (said !== undefined) return said.replaceAll(/\\+"/g, '"');
  return stderr.trim().split('\n').at(-1) ?? '';
}
