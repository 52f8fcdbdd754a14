import { describe, expect, test } from 'vitest';
import { runSmall } from '../../../test/rig/starter.ts';
import { output } from '../../model/host.ts';
import type { Script } from '../../model/script.ts';
import type { StepUse } from '../../plan/step.ts';
import { certificateKey, joinToken, KUBERNETES } from './index.ts';

const KEY = '0123456789abcdef'.repeat(4);

/** As kubeadm 1.30 to 1.36 does: what it looks up in the internet, and what it does not take together. */
const KUBEADM = `kubeadm() {
  case " $* " in
    *" --config "*" --certificate-key "* | *" --certificate-key "*" --config "*)
      echo "can not mix '--config' with arguments [certificate-key]" >&2; return 3 ;;
    *" --config ${KUBERNETES.kubeadmConfig} "*) ;;
    *" init "*) echo 'could not fetch a Kubernetes version from the internet' >&2 ;;
  esac
  case $* in
    *upload-certs*) echo '[upload-certs] Using certificate key:'; echo ${KEY} ;;
    *) echo 'kubeadm join lb:6443 --token abcdef.0123456789abcdef --discovery-token-ca-cert-hash sha256:00' ;;
  esac
}
kubectl() { echo jws-kubeconfig-abcdef; }
kx_uptime() { kx_up=0; }
`;

/** What a mint gives, and what kubeadm complains of. */
async function minted({ step, want }: StepUse) {
  const { script } = step.apply({} as never, want, {} as never) as Script;
  const { code, stdout, stderr } = await runSmall(`${KUBEADM}${script}`);
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  return { script, value: step.result?.(output(code, stdout.toString(), stderr), want) };
}

describe('what nodes need to join is made without asking the internet', () => {
  test('the key of the certificates: kubeadm makes it, no list of processes shows it', async () => {
    const { script, value } = await minted(certificateKey({}));
    expect(value).toBe(KEY);
    expect(script).not.toContain('--certificate-key');
  });

  test('the token', async () => {
    const { value } = await minted(joinToken({}));
    expect(value).toEqual({ token: 'abcdef.0123456789abcdef', caCertHash: 'sha256:00' });
  });

  test('a token that a killed run leaves expires soon, and no node begins to join with one that is about to', () => {
    const { step, want } = joinToken({});
    const minutes = Number(/^(\d+)m$/.exec((want as { readonly ttl: string }).ttl)?.[1]);
    expect(minutes).toBeLessThanOrEqual(30);
    expect(minutes - Number(step.freshSeconds) / 60).toBeGreaterThanOrEqual(10);
  });
});
