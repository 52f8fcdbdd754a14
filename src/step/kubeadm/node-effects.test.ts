import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect } from 'vitest';
import { inEveryShell, onPath, runWithLibrary } from '../../../test/rig/posix-shells.ts';
import { configFor, planContextFor } from '../../../test/support/plan-context.ts';
import { flannel } from '../../component/flannel.ts';
import { kubeadm, kubeProxy } from '../../component/kubernetes.ts';
import { effectWords } from '../../engine/manifest.ts';
import { KUBELET_DIR } from '../../model/cluster/places.ts';
import type { Effect } from '../../model/effect.ts';
import { kubeletEnabled } from './index.ts';

const { cluster } = await planContextFor(configFor());
const places = { criSocket: '/run/c.sock', kubeletDir: KUBELET_DIR };
const enabled = kubeletEnabled({
  places,
  effects: [kubeadm, kubeProxy, flannel].flatMap((one) => one.effects?.(cluster) ?? []),
});
const { effects } = enabled.want as { readonly effects: readonly Effect[] };

const NETWORK: readonly Effect['type'][] = [
  'namespaces',
  'ports',
  'links',
  'iptables-chains',
  'cni-chains',
  'nft-tables',
  'shared-table',
  'virtual-servers',
];

/** A network of one's own, which is gone with the shell; what is known of links, of namespaces and of ipvs is that of it. */
const ALONE = ['--net', '--mount', '--propagation', 'private'];
const SETUP = `mount -t sysfs sysfs /sys && mount -t tmpfs tmpfs /sys/module && mount -t tmpfs tmpfs /run && mkdir /run/netns && mount -t tmpfs tmpfs /var/lib || exit`;

function problem(): string | undefined {
  const missing = ['unshare', 'ip', 'nft', 'iptables-nft', 'ip6tables-nft'].filter(
    (name) => onPath(name) === undefined,
  );
  if (missing.length > 0) return `needs ${missing.join(', ')}`;
  const tries = `${SETUP}; ip link add try0 type veth peer name try1 && ip link add try2 type bridge && iptables-nft -t nat -N X && ip6tables-nft -N X`;
  return spawnSync('unshare', [...ALONE, 'sh', '-c', tries]).status === 0 ? undefined : 'needs namespaces of networks';
}

/** What kubelet, CNI plugins, flannel and kube-proxy do, in few words. */
const CLUSTER = `for t in iptables-nft ip6tables-nft; do
  for table in mangle nat filter raw; do $t -t $table -N KUBE-KUBELET-CANARY; done
  $t -t nat -N KUBE-SERVICES
  for chain in PREROUTING OUTPUT; do $t -t nat -A $chain -m comment --comment 'kubernetes service portals' -j KUBE-SERVICES; done
  $t -N KUBE-FIREWALL && $t -A INPUT -j KUBE-FIREWALL && $t -A KUBE-FIREWALL -j DROP
  $t -t nat -N FLANNEL-POSTRTG && $t -t nat -A POSTROUTING -j FLANNEL-POSTRTG
  $t -t nat -N CNI-HOSTPORT-DNAT 2>&1
  $t -t nat -A PREROUTING -m addrtype --dst-type LOCAL -j CNI-HOSTPORT-DNAT
  $t -t nat -N CNI-HOSTPORT-SETMARK 2>&1
  $t -t nat -A CNI-HOSTPORT-SETMARK -j MARK --set-xmark 0x2000/0x2000
  $t -t nat -N CNI-DN-0123 && $t -t nat -A CNI-DN-0123 -j CNI-HOSTPORT-SETMARK
  $t -t nat -A CNI-HOSTPORT-DNAT -m comment --comment 'dnat name: "cbr0" id: "1a2b"' -j CNI-DN-0123
done
nft add table ip kube-proxy
nft add table ip6 kube-proxy
nft add table ip flannel-ipv4
ip link add cni0 type bridge
ip netns add cni-1
ip netns add cni-2
mkdir -p /var/lib/cni/results /run/containerd/io.containerd.runtime.v2.task/k8s.io/1a2b
echo '{"networkName":"cbr0","result":{"interfaces":[{"name":"eth0","sandbox":"/var/run/netns/cni-1"}]}}' >/var/lib/cni/results/cbr0-1a2b-eth0
echo '{"linux":{"namespaces":[{"type":"network","path":"/var/run/netns/cni-2"}]}}' >/run/containerd/io.containerd.runtime.v2.task/k8s.io/1a2b/config.json
ip link add veth11111111 master cni0 type veth peer name eth0 netns cni-1
ip link add veth22222222 master cni0 type veth peer name peer22222222
ip link add kube-ipvs0 type bridge
ip link add flannel.1 type bridge
`;

/** What nerdctl and podman do beside it: containers with a port of the machine, in networks and namespaces of their own. */
const CONTAINERS = `for t in iptables-nft ip6tables-nft; do
  $t -t nat -N CNI-HOSTPORT-DNAT 2>&1
  $t -t nat -N CNI-DN-4567 && $t -t nat -A CNI-DN-4567 -j RETURN
  $t -t nat -A CNI-HOSTPORT-DNAT -m comment --comment 'dnat name: "cbr0-of-others" id: "3c4d"' -j CNI-DN-4567
  $t -t nat -N CNI-89ab && $t -t nat -A POSTROUTING -m comment --comment 'name: "podman" id: "5e6f"' -j CNI-89ab
  $t -N CNI-FORWARD && $t -A FORWARD -m comment --comment 'CNI firewall plugin rules' -j CNI-FORWARD
done
ip netns add cni-3
ip netns add cni-4
mkdir -p /var/lib/cni/results /run/containerd/io.containerd.runtime.v2.task/default/3c4d
echo '{"interfaces":[{"sandbox":"/var/run/netns/cni-3"}]}' >/var/lib/cni/results/podman-5e6f-eth0
echo '{"path":"/var/run/netns/cni-4"}' >/run/containerd/io.containerd.runtime.v2.task/default/3c4d/config.json
`;

const LINKS = "ls /sys/class/net | tr '\\n' ' '";

const why = problem();

describe.skipIf(why !== undefined)(
  why === undefined ? 'the network of a node' : `the network of a node (${why})`,
  () => {
    inEveryShell('what was made in it', (shell, test) => {
      let dir: string;
      beforeEach(async () => {
        dir = await mkdtemp(join(tmpdir(), 'kx-network-'));
        await mkdir(join(dir, 'bin'));
      });
      afterEach(() => rm(dir, { recursive: true, force: true }));

      const words = effects.filter(({ type }) => NETWORK.includes(type)).map(effectWords);
      const own = `kx_own key uid demo '{}' 60 ${words.map((word, i) => `'e ${i} ${word}'`).join(' ')}`;
      /** The cluster comes, others do something, and the cluster goes. Prints what `ask` does then. */
      const lifetime = async (before: string, since: string, ask: string) => {
        const alone = { ...shell, file: 'unshare', args: [...ALONE, shell.file, ...shell.args] };
        const script = `PATH=${dir}/bin:$PATH
{ ${SETUP}; } >&2
{ ${before}
} >/dev/null && ${own} && { ${CLUSTER}${since}
} >/dev/null && kx_reset_effects 000001 || exit
${ask}`;
        const { code, stdout, stderr } = await runWithLibrary(alone, script, {
          state: join(dir, 's'),
          run: join(dir, 'r'),
        });
        // The kernel may take a link of a pod away just before its turn comes.
        expect({ code, stderr }).toMatchObject({ code: 0 });
        const left = join(dir, 's/manifest/left');
        return { said: stdout, left: existsSync(left) ? (await readFile(left, 'utf8')).trimEnd().split('\n') : [] };
      };

      test('nothing is left where nobody else is', async () => {
        const { said, left } = await lifetime(':', ':', `${LINKS}; nft list ruleset`);
        expect(said).toBe('lo ');
        expect(left).toEqual([]);
      });

      test('tables in which others have something stay and are reported', async () => {
        const theirs = `iptables-nft -t nat -A POSTROUTING -o lo -j MASQUERADE
iptables-nft -P FORWARD DROP
iptables-nft -t mangle -N THEIRS
nft add set ip6 raw theirs '{ type ipv6_addr; }'
nft add chain ip6 nat theirs
ip6tables-nft -A OUTPUT -m comment --comment 'a rule that only counts'
nft add table ip nat-of-the-site
nft add table inet filter`;
        const { said, left } = await lifetime(':', theirs, 'nft list tables; iptables-nft-save; nft list ruleset');
        const tables = said.split('\n').filter((line) => /^table [^{]*$/.test(line));
        const stay = ['ip filter', 'ip nat', 'ip mangle', 'ip6 filter', 'ip6 nat', 'ip6 raw'];
        expect(tables.toSorted()).toEqual(
          [...stay, 'ip nat-of-the-site', 'inet filter'].map((name) => `table ${name}`).toSorted(),
        );
        expect(left.toSorted()).toEqual(
          stay
            .map((name) => `the table ${name} of nft stays: there are rules in it that are not the cluster's`)
            .toSorted(),
        );
        expect(said).toContain('-A POSTROUTING -o lo -j MASQUERADE');
        expect(said).not.toMatch(/KUBE-|CNI-|FLANNEL-/);
      });

      test('what could not be undone the first time is not said to stay, and goes the second time', async () => {
        const failing = '! (kx_chain_remove() { return 1; }; kx_reset_effects 000001)';
        const { said, left } = await lifetime(':', failing, `${LINKS}; nft list ruleset`);
        expect([said, left]).toEqual(['lo ', []]);
      });

      for (const [when, before, since] of [
        ['before', CONTAINERS, ':'],
        ['since', ':', CONTAINERS],
      ] as const)
        test(`chains and namespaces of containers that are not in pods stay, there ${when}`, async () => {
          const ask = 'ls /run/netns; iptables-nft-save; echo --; ip6tables-nft-save';
          const { said, left } = await lifetime(before, since, ask);
          const [four = '', six = ''] = said.split('--\n');
          expect(four.split('\n').slice(0, 2)).toEqual(['cni-3', 'cni-4']);
          for (const rules of [four, six]) {
            expect(rules).not.toMatch(/CNI-DN-0123|KUBE-/);
            expect(rules).toMatch(/^-A CNI-HOSTPORT-DNAT .*cbr0-of-others.* -j CNI-DN-4567$/m);
            expect(rules).toContain('-A CNI-DN-4567 -j RETURN');
            expect(rules).toMatch(/^-A POSTROUTING .*podman.* -j CNI-89ab$/m);
            expect(rules).toMatch(/^-A FORWARD .* -j CNI-FORWARD$/m);
          }
          const chains = left.filter((line) => line.startsWith('the chain'));
          const shared = when === 'before' ? ['CNI-HOSTPORT-SETMARK'] : ['CNI-HOSTPORT-DNAT', 'CNI-HOSTPORT-SETMARK'];
          expect(chains.toSorted()).toEqual(
            ['ip6tables-nft', 'iptables-nft']
              .flatMap((program) =>
                shared.map(
                  (name) =>
                    `the chain ${name} of ${program} stays: containers that are not in pods have ports of the machine`,
                ),
              )
              .toSorted(),
          );
        });

      test('tables that were there before stay, and there is nothing to tell', async () => {
        const { said, left } = await lifetime('nft add table ip nat', ':', 'nft list tables');
        expect(said).toBe('table ip nat\n');
        expect(left).toEqual([]);
      });

      test('links of containers that are not in pods stay', async () => {
        const before = 'ip link add vethbefore type veth peer name peerbefore';
        const since = `ip link add docker0 type bridge
ip link add vethdocker master docker0 type veth peer name peerdocker
ip link add vethalone type veth peer name peeralone
ip link add theirs master cni0 type veth peer name peertheirs`;
        const { said } = await lifetime(before, since, LINKS);
        expect(said.trimEnd().split(' ')).toEqual(
          // biome-ignore format: one line reads best
          ['docker0', 'lo', 'peeralone', 'peerbefore', 'peerdocker', 'peertheirs', 'theirs', 'vethalone', 'vethbefore', 'vethdocker'],
        );
      });

      test('virtual servers of kube-proxy go; those of others stay, and new ones are reported', async () => {
        await writeFile(
          join(dir, 'bin/ipvsadm'),
          `#!/bin/sh
case "$*" in
  '-S -n') cat ${dir}/servers ;;
  -D*) grep -vF -e "-A $2 $3 " ${dir}/servers >${dir}/new; mv ${dir}/new ${dir}/servers ;;
  *) exit 1 ;;
esac
`,
          { mode: 0o755 },
        );
        const had = '-A -t 10.96.0.1:80 -s wlc\n-A -t 192.168.1.5:31000 -s wlc\n';
        await writeFile(join(dir, 'servers'), had);
        const since = `ip address add 10.96.0.1/32 dev kube-ipvs0; ip -6 address add fd00::a/128 dev kube-ipvs0
cat >>${dir}/servers <<'END'
-A -t 10.96.0.1:443 -s rr
-a -t 10.96.0.1:443 -r 10.1.0.2:6443 -m -w 1
-A -u [fd00::a]:53 -s rr -p 10800
-A --sctp-service 10.96.0.1:9 -s rr
-A -t 192.168.1.5:30080 -s rr
-A -t 10.96.0.10:443 -s rr
-A -f 1 -s rr
END`;
        const { said, left } = await lifetime('mkdir /sys/module/ip_vs', since, `grep -e ^-A ${dir}/servers`);
        expect(said).toBe(`${had}-A -t 10.96.0.10:443 -s rr\n-A -f 1 -s rr\n`);
        expect(left).toEqual(["the virtual server -t 10.96.0.10:443 stays: it is not kube-proxy's"]);
      });

      test('nobody asks for virtual servers where the kernel has none: the question would load them', async () => {
        await writeFile(join(dir, 'bin/ipvsadm'), `#!/bin/sh\ntouch ${dir}/asked\n`, { mode: 0o755 });
        await lifetime(':', ':', ':');
        expect(existsSync(join(dir, 'asked'))).toBe(false);
      });
    });
  },
);

inEveryShell('files that a node leaves', (shell, test) => {
  let root: string;
  beforeEach(async () => {
    root = await mkdtemp(join(tmpdir(), 'kx-files-'));
    for (const dir of ['root', 'var/lib', 'etc']) await mkdir(join(root, dir), { recursive: true });
  });
  afterEach(() => rm(root, { recursive: true, force: true }));

  const SHARED = ['/root/', '/var/lib/cni/', '/etc/cni/'];
  const words = effects.map(effectWords).filter((word) => SHARED.some((dir) => word.includes(` ${dir}`)));
  const run = async (script: string) => {
    const places = { state: join(root, 's'), run: join(root, 'r') };
    const { code, stderr } = await runWithLibrary(
      shell,
      script.replaceAll(/ (?=\/(root|var|etc)\/)/g, ` ${root}`),
      places,
    );
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  };
  const put = async (...names: readonly string[]) => {
    for (const name of names) {
      await mkdir(dirname(join(root, name)), { recursive: true });
      await writeFile(join(root, name), name);
    }
  };
  /** The cluster comes, these files are made, and the cluster goes. Returns what is reported then. */
  const lifetime = async (...made: readonly string[]) => {
    await run(`kx_own key uid demo '{}' 60 ${words.map((word, i) => `'e ${i} ${word}'`).join(' ')}`);
    await put(...made);
    await run('kx_reset_effects 000001');
    const left = join(root, 's/manifest/left');
    return existsSync(left) ? readFile(left, 'utf8') : '';
  };
  const all = async (dir: string) => (await readdir(join(root, dir), { recursive: true })).toSorted();

  test('the cache of kubectl goes, and its directory', async () => {
    expect(await lifetime('root/.kube/cache/discovery/x')).toBe('');
    expect(await all('root')).toEqual([]);
  });

  test('kubeconfigs of other clusters stay and are reported', async () => {
    const left = await lifetime('root/.kube/cache/x', 'root/.kube/other-cluster');
    expect(await all('root')).toEqual(['.kube', '.kube/other-cluster']);
    expect(left).toBe(`${root}/root/.kube stays: what is in it is not the cluster's\n`);
  });

  test('a directory that was there before stays', async () => {
    await mkdir(join(root, 'root/.kube'));
    expect(await lifetime('root/.kube/cache/x')).toBe('');
    expect(await all('root')).toEqual(['.kube']);
  });

  const pods = [
    'etc/cni/net.d/10-flannel.conflist',
    'var/lib/cni/flannel/1a2b',
    'var/lib/cni/networks/cbr0/10.1.0.2',
    'var/lib/cni/results/cbr0-1a2b-eth0',
    'var/lib/cni/results/cni-loopback-1a2b-lo',
  ];

  test('what is noted of pods goes', async () => {
    expect(await lifetime(...pods)).toBe('');
    expect(await all('var/lib')).toEqual([]);
  });

  test('what is noted of containers that are not in pods stays, whether it was there before or not', async () => {
    await put('var/lib/cni/networks/podman/10.88.0.2');
    const left = await lifetime(...pods, 'var/lib/cni/results/podman-5-eth0', 'etc/cni/net.d/87-podman.conflist');
    const files = ['networks', 'networks/podman', 'networks/podman/10.88.0.2', 'results', 'results/podman-5-eth0'];
    expect(await all('var/lib/cni')).toEqual(files);
    expect(await all('etc/cni/net.d')).toEqual(['87-podman.conflist']);
    expect(left).toBe(`${root}/var/lib/cni/results stays: what is in it is not the cluster's\n`);
  });
});
