import { afterAll, beforeAll, expect, test } from 'vitest';
import { describeHosts } from '../../../test/rig/sshd.ts';
import { halfOf, SystemBench, type SystemCase } from '../../../test/support/os-contract.ts';
import { kernelModule } from './kernel-module.ts';
import { selinux } from './selinux.ts';
import { swap } from './swap.ts';

/** Knows bridge → br_netfilter, foo-bar, a disabled one; loads by making what the kernel would make. */
const MODPROBE = `
D=
[ "$1" != -D ] || { D=1; shift; }
[ "$1" != -- ] || shift
case $1 in
  br_netfilter2) set -- stp llc bridge2 br_netfilter2 ;;
  foo-bar) set -- foo-bar ;;
  within) [ -z "$D" ] || echo "builtin within"; exit 0 ;;
  forbidden) [ -z "$D" ] || { echo "install /bin/false "; exit 0; }; exit 1 ;;
  *) echo "modprobe: FATAL: Module $1 not found in directory /lib/modules/6.1.0" >&2; exit 1 ;;
esac
for m do
  if [ -n "$D" ]; then echo "insmod /lib/modules/6.1.0/kernel/net/$m.ko.xz "; continue; fi
  n=$(echo "$m" | tr - _)
  [ -d "/sys/module/$n" ] && continue
  mkdir "/sys/module/.new$$" && echo live >"/sys/module/.new$$/initstate" && mv "/sys/module/.new$$" "/sys/module/$n"
done
`;
const RMMOD = `
[ ! -e "/sys/module/$1/busy" ] || { echo "rmmod: ERROR: Module $1 is in use" >&2; exit 1; }
mv "/sys/module/$1" "/sys/module/.gone$$"
`;
/** Swap devices of the stand-ins are lines of a file that lies over /proc/swaps. As the kernel does, they end what they began. */
const WHOLE = '[ -n "$KX_WHOLE" ] || { KX_WHOLE=1 exec setsid flock /srv/kx-test/lock "$0" "$@"; }';
const SWAPOFF = String.raw`${WHOLE}
[ ! -e /srv/kx-test/no-memory ] || { echo "swapoff: $1: swapoff failed: Cannot allocate memory" >&2; exit 255; }
n=$(printf %s "$1" | sed 's/ /\\\\040/g')
new=$(grep -v "^$n	" /proc/swaps)
printf '%s\n' "$new" >/srv/kx-test/swaps
`;
const SWAPON = String.raw`${WHOLE}
p=-2
[ "$1" != -p ] || { p=$2; shift 2; }
n=$(printf %s "$1" | sed 's/ /\\040/g')
t=partition
[ ! -f "$1" ] || t=file
grep -qF "$n	" /proc/swaps || printf '%s\t%s\t1024\t0\t%s\n' "$n" "$t" "$p" >>/srv/kx-test/swaps
`;
const HEAD = String.raw`Filename\t\t\t\tType\t\tSize\t\tUsed\t\tPriority\n`;

const MODULES =
  'ls /sys/module /sys/module/*; ls -A /etc/modules-load.d 2>/dev/null; cat /etc/modules-load.d/*kubexm* 2>/dev/null; :';
const SWAPS = "cat /proc/swaps; cat /etc/fstab; echo .; stat -c '%a %u:%g' /etc/fstab; ls -A /etc | grep kubexm; :";
const SELINUX =
  "echo $(cat /sys/fs/selinux/enforce); cat /etc/selinux/config; echo .; stat -c '%a %u:%g' /etc/selinux/config; ls -A /etc/selinux; :";
const FSTAB = String.raw`# /etc/fstab\n/dev/sda1 / ext4 defaults 0 1\n/dev/sda2\tnone swap\tsw 0 0\n  /swap\\040file none   swap defaults,pri=5\n//nas/swap /mnt/swap cifs user=swap 0 0\n#/dev/sdb none swap sw 0 0\nLABEL=x swap swap`;

const cases: readonly SystemCase[] = [
  {
    name: 'loads what is needed and notes it, with what it depends on',
    step: kernelModule.definition,
    before:
      'rm -rf /sys/module/* /sys/module/.[gn]* /etc/modules-load.d/*kubexm*; mkdir -p /sys/module/llc /etc/modules-load.d; echo live >/sys/module/llc/initstate',
    want: { modules: ['br_netfilter2', 'foo-bar', 'within', 'overlay'], optional: ['nosuch', 'forbidden'] },
    look: MODULES,
    after: /br_netfilter2\nfoo-bar\nwithin\noverlay\n$/,
  },
  {
    name: 'already loaded, no directory for the file',
    step: kernelModule.definition,
    before:
      'rm -rf /sys/module/* /sys/module/.[gn]* /etc/modules-load.d; mkdir -p /sys/module/foo_bar; echo live >/sys/module/foo_bar/initstate',
    want: { modules: ['foo-bar'], file: 'kubexm-x.conf' },
    look: MODULES,
  },
  {
    name: 'devices, files and lines of fstab',
    step: swap.definition,
    before: String.raw`printf '${HEAD}/srv/kx-test/dev2\tpartition\t1024\t0\t-2\n/swap\\040file\tfile\t1024\t0\t5\n' >/srv/kx-test/swaps
[ -e /srv/kx-test/dev2 ] || mkfifo /srv/kx-test/dev2
: >'/swap file'
printf '${FSTAB}' >/etc/fstab
chmod 640 /etc/fstab`,
    want: { state: 'off' },
    look: SWAPS,
    after:
      /^Filename\s.*\n# \/etc\/fstab\n\/dev\/sda1 .*\n#kubexm-swap# \/dev\/sda2\tnone swap\tsw 0 0\n#kubexm-swap# {3}\/swap\\040file .*\n\/\/nas\/swap .*\n#\/dev\/sdb .*\n#kubexm-swap# LABEL=x swap swap\.\n640 0:0\n$/,
  },
  {
    name: 'enforcing now and at the next start',
    step: selinux.definition,
    before:
      "mkdir -p /etc/selinux; printf '# SELINUX= says\\nSELINUX=Enforcing # why\\nSELINUXTYPE=targeted\\nSELINUX=disabled' >/etc/selinux/config; chmod 644 /etc/selinux/config; printf 1 >/sys/fs/selinux/enforce",
    want: { mode: 'permissive' },
    look: SELINUX,
    after: /^0\n# SELINUX= says\nSELINUX=permissive # why\nSELINUXTYPE=targeted\nSELINUX=disabled\.\n644/,
  },
];

describeHosts('modules, swap and SELinux of machines with stand-ins', () => {
  let bench: SystemBench;
  beforeAll(async () => {
    bench = await SystemBench.start();
    // Over what the hosts of the rig share with this machine, in their own mount namespace.
    await bench.host.exec(`set -e
mount -t tmpfs none /sys/module
mount -t tmpfs none /sys/fs && mkdir /sys/fs/selinux
: >/srv/kx-test/swaps && mount --bind /srv/kx-test/swaps /proc/swaps`);
    await bench.standIn('modprobe', MODPROBE);
    await bench.standIn('rmmod', RMMOD);
    await bench.standIn('swapoff', SWAPOFF);
    await bench.standIn('swapon', SWAPON);
  });
  afterAll(() => bench.close());

  test.each(halfOf(cases).map((one) => [`${one.step.kind}: ${one.name}`, one] as const))('%s', async (_name, one) => {
    // A real one must never be reached.
    expect(await bench.host.exec('for c in swapoff modprobe rmmod; do command -v $c; done')).toBe(
      '/usr/local/sbin/swapoff\n/usr/local/sbin/modprobe\n/usr/local/sbin/rmmod\n',
    );
    await bench.contract(one);
  });
  test('a module that the kernel does not have says what that means', async () => {
    const done = await bench.apply(kernelModule.definition, { modules: ['nosuch'] });
    expect(done).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(
        /module nosuch cannot be loaded: the modules of the running kernel .* are not on this machine/,
      ) as string,
    });
    await bench.host.exec('mkdir -p "/lib/modules/$(uname -r)"');
    const other = await bench.apply(kernelModule.definition, { modules: ['nosuch'] });
    expect(other.stderr).toMatch(/^kernel .* has no module nosuch: install its further modules/);
    const disabled = await bench.apply(kernelModule.definition, { modules: ['forbidden'] });
    expect(disabled.stderr).toContain('disabled by an install line in /etc/modprobe.d');
    expect(await bench.host.exec('ls -A /etc/modules-load.d 2>/dev/null || :')).not.toContain('kubexm.conf');
  });

  test('a module that is in use by now stays, and that is said', async () => {
    await bench.host.exec('rm -rf /sys/module/* /sys/module/.[gn]* /etc/modules-load.d');
    const want = { modules: ['br_netfilter2'] };
    const first = await bench.check(kernelModule.definition, want);
    expect((await bench.apply(kernelModule.definition, want)).code).toBe(0);
    await bench.host.exec('touch /sys/module/bridge2/busy');
    const seen = 'seen' in first ? (first.seen as never) : (undefined as never);
    const undone = await bench.machine.run(
      kernelModule.definition.revert!(bench.machine, want, seen) as { script: string },
    );
    expect(undone).toMatchObject({
      code: 0,
      reports: [{ type: 'left', text: 'kernel module bridge2 stays loaded: rmmod: ERROR: Module bridge2 is in use' }],
    });
    expect(await bench.host.exec('ls /sys/module; ls /etc/modules-load.d 2>/dev/null || :')).toBe('bridge2\n');
  });

  test('swap that does not fit into memory is a clear failure, and half of it is done again', async () => {
    await bench.host.exec(
      `printf '${HEAD}/srv/kx-test/dev2\\tpartition\\t1024\\t0\\t-2\\n' >/srv/kx-test/swaps; touch /srv/kx-test/no-memory`,
    );
    const done = await bench.apply(swap.definition, { state: 'off' });
    expect(done).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('swap on /srv/kx-test/dev2 cannot be turned off') as string,
    });
    await bench.host.exec('rm /srv/kx-test/no-memory');
    expect((await bench.apply(swap.definition, { state: 'off' })).code).toBe(0);
    expect((await bench.check(swap.definition, { state: 'off' })).verdict).toBe('satisfied');
  });

  test('swap that is gone stays off, and that is said', async () => {
    const before = {
      on: [{ name: '/srv/kx-test/gone', type: 'file', priority: 1 }],
      fstab: false,
      generated: [],
      enabled: [],
    };
    const undone = await bench.machine.run(
      swap.definition.revert!(bench.machine, { state: 'off' }, before) as { script: string },
    );
    expect(undone).toMatchObject({ code: 0, reports: [{ text: 'swap /srv/kx-test/gone is gone: it stays off' }] });
  });
});
