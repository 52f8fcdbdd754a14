import { afterAll, beforeAll, expect, test } from 'vitest';
import { describeHosts } from '../../../test/rig/sshd.ts';
import { BUSYBOX, halfOf, SystemBench, type SystemCase, withLibrary } from '../../../test/support/os-contract.ts';
import { type Script, sh } from '../../model/script.ts';
import { hostname } from './hostname.ts';
import { sysctl } from './sysctl.ts';
import { timezone } from './timezone.ts';

const FILES = (paths: string) => `for f in ${paths}; do
  if [ -L "$f" ]; then echo "$f -> $(readlink "$f")"; elif [ -e "$f" ]; then stat -c '%n %a %u:%g' "$f"; [ -d "$f" ] || cat "$f" | base64 -w0; fi
done; ls -A /etc | grep kubexm || :`;

const NAMES = `uname -n; ${FILES('/etc/hostname')}`;
const ZONE = FILES('/etc/localtime /etc/timezone');
const SETTINGS = `cat /proc/sys/kernel/domainname; ls -A /etc/sysctl.d; ${FILES('/etc/sysctl.d /etc/sysctl.d/*kubexm*')}`;

const SHELLS: Readonly<Record<string, readonly string[]>> = { bash: ['bash', '--posix'], busybox: [BUSYBOX, 'ash'] };

/** The hosts of the rig have names and a domain of their own: nothing else of the kernel may be changed from there. */
const cases: readonly SystemCase[] = [
  {
    name: 'a name',
    step: hostname.definition,
    before: "printf 'host1\\n' >/etc/hostname; hostname host1",
    want: { name: 'node-7.example' },
    look: NAMES,
    after: /^node-7\.example\n/,
  },
  {
    name: 'a file with a comment, another mode and no last line end',
    step: hostname.definition,
    before: "printf '# mine\\nother' >/etc/hostname; chmod 600 /etc/hostname; hostname host1",
    want: { name: 'node-7' },
    look: NAMES,
  },
  {
    name: 'no file at all, right name now',
    step: hostname.definition,
    before: 'rm -f /etc/hostname; hostname node-7',
    want: { name: 'node-7' },
    look: NAMES,
  },
  {
    name: 'another zone',
    step: timezone.definition,
    before:
      'ln -sfn /usr/share/zoneinfo/Asia/Tokyo /etc/localtime; echo Asia/Tokyo >/etc/timezone; chmod 644 /etc/timezone',
    want: { zone: 'Europe/Berlin' },
    look: ZONE,
    after: /zoneinfo\/Europe\/Berlin/,
  },
  {
    name: 'a copy instead of a link, no name',
    step: timezone.definition,
    before:
      'rm -f /etc/localtime /etc/timezone; cp /usr/share/zoneinfo/Asia/Tokyo /etc/localtime; chmod 644 /etc/localtime',
    want: { zone: 'Europe/Berlin' },
    look: ZONE,
  },
  {
    name: 'nothing at all',
    step: timezone.definition,
    before: 'rm -f /etc/localtime /etc/timezone',
    want: { zone: 'Europe/Berlin' },
    look: ZONE,
  },
  {
    name: 'a live value and a new file',
    step: sysctl.definition,
    before: 'mkdir -p /etc/sysctl.d; echo old.example >/proc/sys/kernel/domainname',
    want: {
      values: { 'kernel.domainname': 'new.example', 'net.bridge.no-such-thing': 1 },
      optional: ['net.bridge.no-such-thing'],
    },
    look: SETTINGS,
    after: /^new\.example\n/,
  },
  {
    name: 'another file of that name, the value is right',
    step: sysctl.definition,
    before:
      'printf "kernel.domainname=x" >/etc/sysctl.d/50-kubexm.conf; chmod 640 /etc/sysctl.d/50-kubexm.conf; echo new.example >/proc/sys/kernel/domainname',
    want: { file: '50-kubexm.conf', values: { 'kernel/domainname': 'new.example' } },
    look: SETTINGS,
  },
  {
    name: 'no directory',
    step: sysctl.definition,
    before: 'rm -rf /etc/sysctl.d; echo old.example >/proc/sys/kernel/domainname',
    want: { values: { 'kernel.domainname': 'new.example' } },
    look: SETTINGS,
  },
];

/** All but the domain's name belongs to the machine below: it cannot be written from the host. */
const READ_ONLY = `set -e
: >/srv/kx-test/domain
mount --bind /proc/sys/kernel/domainname /srv/kx-test/domain
mount --bind /proc/sys /proc/sys
mount -o remount,bind,ro /proc/sys
mount --bind /srv/kx-test/domain /proc/sys/kernel/domainname
case $(grep ' /proc/sys ' /proc/mounts | tail -n 1) in *' ro,'*) ;; *) exit 1 ;; esac`;

/** A network of its own, whose settings can be written. */
const NETWORK = [
  '/usr/bin/nsenter',
  '--net=/srv/kx-test/net',
  '/usr/bin/unshare',
  '-m',
  'sh',
  '-c',
  '/bin/mount -t proc proc /proc && exec "$@"',
  'sh',
];
const IN_NETWORK = sh`${NETWORK}`.script;
const KEYS = ['net/ipv4/ip_forward', 'net/ipv4/ip_local_port_range', 'net/ipv4/conf/all/rp_filter'];

describeHosts('names, time zones and settings of real machines', () => {
  let bench: SystemBench;
  beforeAll(async () => {
    bench = await SystemBench.start();
    await bench.host.exec(READ_ONLY);
  });
  afterAll(() => bench.close());

  test.each(halfOf(cases).map((one) => [`${one.step.kind}: ${one.name}`, one] as const))('%s', async (_name, one) => {
    await bench.contract(one);
  });

  test('sysctl: numbers, in a network of its own', async () => {
    await bench.host.exec('touch /srv/kx-test/net; unshare --net=/srv/kx-test/net true');
    const [outside, inside] = ['readlink /proc/self/ns/net', `${IN_NETWORK} readlink /proc/self/ns/net`];
    expect(await bench.host.exec(inside)).not.toBe(await bench.host.exec(outside));
    const shells = bench.shells().map(({ name, run }) => ({
      name,
      run: (script: Script) => run(sh`${NETWORK} ${SHELLS[name] ?? ['sh']} -c ${withLibrary(script)}`),
    }));
    const one: SystemCase = {
      name: 'numbers',
      step: sysctl.definition,
      before: `rm -rf /etc/sysctl.d /run/sysctl.d; for s in ${KEYS.join(' ')}; do ${IN_NETWORK} sh -c 'case $1 in *range) echo 32768 60999;; *filter) echo 2;; *) echo 0;; esac >"/proc/sys/$1"' sh $s; done`,
      want: {
        values: {
          'net.ipv4.ip_forward': 1,
          'net.ipv4.ip_local_port_range': '1024 65000',
          'net.ipv4.conf.all.rp_filter': 0,
        },
      },
      look: `cd /proc/sys && ${IN_NETWORK} grep '' ${KEYS.join(' ')}; ls /etc/sysctl.d 2>/dev/null; :`,
      after: /ip_forward:1\nnet\/ipv4\/ip_local_port_range:1024\t65000\n.*rp_filter:0\n99-kubexm-cri\.conf\n$/,
    };
    const below = `cd /proc/sys && grep '' ${KEYS.join(' ')}`;
    const outer = await bench.host.exec(below);
    for (const shell of shells) await bench.contract(one, [shell]);
    expect(await bench.host.exec(below), 'nothing reaches the machine below').toBe(outer);
  });

  test('a zone that the machine does not know changes nothing', async () => {
    const done = await bench.apply(timezone.definition, { zone: 'Europe/Atlantis' });
    expect(done).toMatchObject({ code: 1, stderr: expect.stringContaining('install the package tzdata') as string });
  });

  test('a setting that the kernel does not have says what it is a part of', async () => {
    const want = { values: { 'net.ipv4.vs.kx_no_such': 1 } };
    const done = await bench.apply(sysctl.definition, want);
    expect(done).toMatchObject({
      code: 1,
      stderr: 'the setting net.ipv4.vs.kx_no_such does not exist: load the kernel module ip_vs first\n',
    });
    expect(await bench.host.exec('ls -A /etc/sysctl.d 2>/dev/null || :')).not.toContain('kubexm');
    expect(await bench.check(sysctl.definition, want)).toMatchObject({
      verdict: 'needed',
      diff: [{ what: 'net.ipv4.vs.kx_no_such', from: 'no such setting', to: '1' }, {}],
    });
  });

  test('a file that comes later and says otherwise is found and named', async () => {
    const want = { values: { 'kernel.domainname': 'new.example' } };
    await bench.host.exec(
      'mkdir -p /etc/sysctl.d /run/sysctl.d; echo "kernel/domainname = other" >/run/sysctl.d/99-zz.conf',
    );
    expect((await bench.apply(sysctl.definition, want)).code).toBe(0);
    const verdict = await bench.check(sysctl.definition, want);
    expect(verdict).toMatchObject({
      verdict: 'needed',
      diff: [
        { what: 'kernel.domainname at the next start', from: 'other (/run/sysctl.d/99-zz.conf)', to: 'new.example' },
      ],
    });
    expect(await bench.check(sysctl.definition, { ...want, mayBeOverridden: true })).toMatchObject({
      verdict: 'satisfied',
      output: { overridden: ['/run/sysctl.d/99-zz.conf: kernel.domainname = other'] },
    });
    // A file of that name in /etc takes its place.
    await bench.host.exec('ln -s /dev/null /etc/sysctl.d/99-zz.conf');
    expect((await bench.check(sysctl.definition, want)).verdict).toBe('satisfied');
  });

  test('what somebody else made of the file stays', async () => {
    const want = { values: { 'kernel.domainname': 'mine.example' } };
    const first = await bench.check(sysctl.definition, want);
    await bench.apply(sysctl.definition, want);
    await bench.host.exec('echo "# theirs" >>/etc/sysctl.d/99-kubexm-cri.conf');
    const seen = 'seen' in first ? (first.seen as never) : (undefined as never);
    const undone = await bench.machine.run(sysctl.definition.revert!(bench.machine, want, seen) as { script: string });
    const text = expect.stringContaining('changed by somebody else') as string;
    expect(undone).toMatchObject({ code: 0, reports: [{ type: 'left', text }] });
    expect(await bench.host.exec('cat /etc/sysctl.d/99-kubexm-cri.conf')).toContain('# theirs');
  });
});
