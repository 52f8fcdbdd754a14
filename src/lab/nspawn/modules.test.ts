import { expect, test } from 'vitest';
import { usableModules } from './modules.ts';

test.each([
  [{}, []],
  [{ config: '# CONFIG_IP_VS is not set\nCONFIG_OVERLAY_FS=y\nCONFIG_VXLAN=m\n' }, ['overlay']],
  [{ builtin: 'kernel/fs/overlayfs/overlay.ko\nkernel/net/bridge/br_netfilter.ko.zst\n' }, ['overlay', 'br_netfilter']],
  [{ loaded: 'ip_vs_rr 16384 0 - Live 0x0\nip_vs 262144 2 ip_vs_rr, Live 0x0\n' }, ['ip_vs', 'ip_vs_rr']],
  [{ config: 'CONFIG_VXLAN=m\n', loaded: 'vxlan 1 0 - Live 0x0\n' }, ['vxlan']],
])('%j', (facts, names) => {
  expect(usableModules(facts)).toEqual(names);
});
