import { afterAll, beforeAll, expect, test } from 'vitest';
import { describeSystemdHosts } from '../../../test/rig/sshd.ts';
import { SystemBench } from '../../../test/support/os-contract.ts';
import { swap } from './swap.ts';

/** Makes a swap unit at every start, as zram-generator does. */
const GENERATOR = `#!/bin/sh
printf '[Unit]\\nDocumentation=man:zram-generator(8)\\n[Swap]\\nWhat=/dev/zram9\\n' >"$1/dev-zram9.swap"
mkdir -p "$1/swap.target.wants"
ln -sf ../dev-zram9.swap "$1/swap.target.wants/"
`;
const UNIT = '[Swap]\\nWhat=/srv/kx-test/own\\n[Install]\\nWantedBy=swap.target\\n';

describeSystemdHosts('swap units of a machine with systemd', () => {
  let bench: SystemBench;
  beforeAll(async () => {
    bench = await SystemBench.start({ init: 'systemd' });
    // The real swap of the machine below is none of the tests' business.
    await bench.host.exec(`set -e
printf 'Filename Type Size Used Priority\\n' >/srv/kx-test/swaps && mount --bind /srv/kx-test/swaps /proc/swaps
mkdir -p /etc/systemd/system-generators
cat >/etc/systemd/system-generators/kx-zram <<'EOF'
${GENERATOR}EOF
chmod +x /etc/systemd/system-generators/kx-zram
printf '[Service]\\nExecStart=/bin/true\\n[Install]\\nWantedBy=multi-user.target\\n' >/etc/systemd/system/zramswap.service
printf '${UNIT}' >/etc/systemd/system/srv-kx\\\\x2dtest-own.swap
printf '/dev/kx-none none swap sw 0 0\\n/dev/kx-root / ext4 defaults 0 1\\n' >/etc/fstab
systemctl daemon-reload
systemctl enable --quiet zramswap.service 'srv-kx\\x2dtest-own.swap'`);
    await bench.standIn('swapoff', 'exit 1\n');
    await bench.standIn('swapon', 'exit 1\n');
  });
  afterAll(() => bench.close());

  test('those made at every start are masked, the administrator’s are disabled, and all is as before after reverting', async () => {
    const one = {
      name: 'units',
      step: swap.definition,
      want: { state: 'off' },
      look: 'cd /etc/systemd/system && find . -name "*.swap" -o -name zramswap.service | sort | while read -r f; do ls -l "$f" | cut -c 1-10; echo "$f $(readlink "$f")"; done; cat /etc/fstab; for u in dev-kx\\\\x2dnone.swap dev-zram9.swap srv-kx\\\\x2dtest-own.swap; do systemctl show -p LoadState -p UnitFileState "$u"; done',
      after: /LoadState=not-found[\s\S]*LoadState=masked[\s\S]*UnitFileState=disabled/,
    };
    await bench.contract(one, bench.shells().slice(0, 1));
    expect(await bench.check(swap.definition, { state: 'off' })).toMatchObject({
      seen: {
        generated: ['dev-zram9.swap'],
        enabled: ['srv-kx\\x2dtest-own.swap', 'zramswap.service'],
        fstab: true,
        on: [],
      },
    });
  });
});
