import { expect, test } from 'vitest';
import { unloadable, usableModules } from './modules.ts';

test.each([
  [{}, []],
  [{ config: '# CONFIG_IP_VS is not set\nCONFIG_OVERLAY_FS=y\nCONFIG_VXLAN=m\n' }, ['overlay']],
  [{ builtin: 'kernel/fs/overlayfs/overlay.ko\nkernel/net/bridge/br_netfilter.ko.zst\n' }, ['overlay', 'br_netfilter']],
  [{ loaded: 'ip_vs_rr 16384 0 - Live 0x0\nip_vs 262144 2 ip_vs_rr, Live 0x0\n' }, ['ip_vs', 'ip_vs_rr']],
  [{ config: 'CONFIG_VXLAN=m\n', loaded: 'vxlan 1 0 - Live 0x0\n' }, ['vxlan']],
])('%j', (facts, names) => {
  expect(usableModules(facts)).toEqual(names);
});

const OFF = ['0', '0', '0'];
test.each([
  // With these the kernel would remove links and rules, also those of others.
  [['bridge', 'veth', 'dummy', 'wireguard', 'vxlan', 'iptable_filter', 'nf_tables'], 0, OFF, []],
  // It knows who uses these, and refuses.
  [
    ['overlay', 'xt_set', 'ip_set_hash_ip', 'ip_vs_rr', 'ext4'],
    3,
    ['1'],
    ['overlay', 'xt_set', 'ip_set_hash_ip', 'ip_vs_rr', 'ext4'],
  ],
  [['br_netfilter'], 0, OFF, ['br_netfilter']],
  // Somebody has a bridge by now, or has switched filtering on.
  [['br_netfilter'], 1, OFF, []],
  [['br_netfilter'], 0, ['1', '0', '0'], []],
])('of %j with %i bridges that filter %j: unloaded are %j', (names, links, settings, gone) => {
  expect(unloadable(names, { links, settings })).toEqual(gone);
});
