import { expect, test } from 'vitest';
import { kubeletDocument, proxyDocument } from './config.ts';

const base = {
  cluster: { dnsDomain: 'cluster.local', kubelet: { maxPods: 110 } },
  node: { criSocket: '/run/containerd/containerd.sock', taints: undefined },
  clusterDns: '10.96.0.10',
};

test('a kubelet lets nobody in who is not known, and serves with the certificate that kubexm has made', () => {
  expect(kubeletDocument(base)).toMatchObject({
    authentication: { anonymous: { enabled: false }, webhook: { enabled: true } },
    authorization: { mode: 'Webhook' },
    tlsCertFile: '/etc/kubernetes/pki/kubelet.crt',
    clusterDNS: ['10.96.0.10'],
    maxPods: 110,
  });
});

test('a kubelet that is to ask the cluster for a certificate has no files', () => {
  const kubelet = { serverTLSBootstrap: true };
  const document = kubeletDocument({ ...base, cluster: { ...base.cluster, kubelet } });
  expect(document).not.toHaveProperty('tlsCertFile');
  expect(document).toMatchObject(kubelet);
});

test('what the user says wins', () => {
  const kubelet = { clusterDNS: ['169.254.25.10'], authentication: { anonymous: { enabled: true } } };
  expect(kubeletDocument({ ...base, cluster: { ...base.cluster, kubelet } })).toMatchObject({
    clusterDNS: ['169.254.25.10'],
    authentication: { anonymous: { enabled: true }, webhook: { enabled: true } },
  });
  expect(proxyDocument({ proxy: { clientConnection: { qps: 9 } } })).toMatchObject({
    clientConnection: { qps: 9, kubeconfig: '/etc/kubernetes/kubeconfigs/kube-proxy.kubeconfig' },
  });
});

test('only a master has a taint; where systemd-resolved answers, pods ask its servers', () => {
  const taint = { key: 'node-role.kubernetes.io/control-plane', effect: 'NoSchedule' };
  const master = kubeletDocument({
    ...base,
    node: { ...base.node, taints: [taint] },
    resolvConf: '/run/systemd/resolve/resolv.conf',
  });
  expect(master).toMatchObject({ registerWithTaints: [taint], resolvConf: '/run/systemd/resolve/resolv.conf' });
  for (const taints of [undefined, []])
    expect(kubeletDocument({ ...base, node: { ...base.node, taints } })).not.toHaveProperty('registerWithTaints');
});
