import { Resolver } from 'node:dns/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { foundProgram, whyNot } from '../supply/image-programs.ts';
import { describeLab } from './fixture.ts';
import { bound, ONLY_LOW_PORTS, type Runtime, startRuntime } from './images-runtime.ts';

const MINUTES = 60_000;
const RUNTIME = ['containerd', 'containerd-shim-runc-v2', 'ctr'];

describeLab('images that kubexm makes, in a real runtime', () => {
  let runtime: Runtime;
  beforeAll(async () => {
    runtime = await startRuntime();
  }, 10 * MINUTES);
  afterAll(() => runtime?.close(), 2 * MINUTES);

  test('pause stays, and ends at once on SIGTERM', { timeout: 5 * MINUTES }, async () => {
    const pause = await runtime.imported('pause', 'pause');
    expect(await runtime.inside(pause, '/pause --version')).toContain('kubexm pause');
    await runtime.start(pause, 'p1');
    expect(await runtime.ctr('tasks ls')).toMatch(/p1\s+\d+\s+RUNNING/);
    // Orphans become its children, and leave nothing when they end.
    const pid = (await runtime.ctr('tasks ls')).match(/p1\s+(\d+)/)?.[1];
    const orphans = `nsenter -t ${pid} -p sh -c 'sleep 3 & sleep 3 &' >/dev/null 2>&1`;
    const children = `ps --ppid ${pid} -o stat= | wc -l`;
    expect(await runtime.exec(`${orphans}; ${children}; sleep 5; ${children}`)).toBe('2\n0\n');
    await runtime.ctr('tasks kill -s SIGTERM p1');
    await runtime.exec(
      'for i in 1 2 3 4 5 6 7 8 9 10; do ctr -n k8s.io tasks ls | grep -q "p1.*STOPPED" && exit 0; sleep 0.1; done; exit 1',
    );
    await runtime.stop('p1');
  });

  test('testserver answers; haproxy and nginx pass requests on to it', { timeout: 10 * MINUTES }, async () => {
    await runtime.start(await runtime.imported('testserver', 'testserver'), 'server');
    try {
      expect(JSON.parse(await runtime.answers(8080, '/'))).toMatchObject({ hostname: runtime.name });
      expect(await runtime.answers(8080, '/healthz')).toBe('ok\n');
      expect(await runtime.answers(8080, '/udp?to=127.0.0.1:8081')).toContain('"result":"127.0.0.1:8081"');
      expect(await runtime.answers(8080, '/tcp?to=127.0.0.1:1')).toContain('refused');

      const haproxy = await runtime.imported('haproxy', 'haproxy');
      await runtime.exec(
        `cat >/root/haproxy.cfg <<'END'
defaults
  mode tcp
  timeout connect 2s
  timeout client 10s
  timeout server 10s
frontend in
  bind :9000
  default_backend out
backend out
  server one 127.0.0.1:8080 check
END`,
      );
      await runtime.start(haproxy, 'haproxy', bound('/root/haproxy.cfg', '/usr/local/etc/haproxy/haproxy.cfg'));
      expect(await runtime.answers(9000, '/healthz')).toBe('ok\n');
      // As upstream's: its user, and a soft stop.
      expect(await runtime.exec('ps -o uid= -C haproxy')).toMatch(/^\s*99$/m);
      await runtime.stop('haproxy');

      const nginx = await runtime.imported('nginx', 'nginx');
      expect(await runtime.inside(nginx, 'nginx -t')).toContain('syntax is ok');
      await runtime.exec(
        `cat >/root/nginx.conf <<'END'
include /etc/nginx/modules-enabled/*.conf;
events {}
stream {
  server {
    listen 9001;
    proxy_pass 127.0.0.1:8080;
  }
}
END`,
      );
      await runtime.start(nginx, 'nginx', bound('/root/nginx.conf', '/etc/nginx/nginx.conf'));
      expect(await runtime.answers(9001, '/healthz')).toBe('ok\n');
      await runtime.stop('nginx');
    } finally {
      await runtime.stop('server');
    }
  });

  const named = (text: string, why: string | undefined) => (why === undefined ? text : `${text} (${why})`);

  function describeImage(component: string, programs: readonly string[], text: string, suite: () => void): void {
    const why = whyNot(component, programs);
    describe.skipIf(why !== undefined)(named(text, why), suite);
  }

  describeImage('kubernetes', ['kube-proxy'], 'kube-proxy', () => {
    let image: string;
    beforeAll(async () => {
      image = await runtime.imported('kubernetes', 'kube-proxy');
    }, 60 * MINUTES);

    test.each([
      ['kube-proxy --version', /Kubernetes v1\./],
      ['iptables --version', /iptables v1\.[0-9.]+ \((nf_tables|legacy)\)/],
      ['ip6tables --version', /ip6tables v1\./],
      ['iptables-save', /^/],
      ['iptables-restore --version', /iptables-(nft|legacy)?-?restore v1\.|iptables v1\./],
      ['nft --version', /nftables v1\./],
      ['nft list ruleset', /^/],
      ['conntrack --version', /conntrack v1\./],
      ['ipset --version', /ipset v7\./],
      ['ipset list', /^/],
      ['modprobe --version', /kmod version/],
    ])('%s', async (words, answer) => {
      expect(await runtime.inside(image, words)).toMatch(answer);
    });

    test('its iptables writes where the node’s does, and leaves no tables of the other kind', async () => {
      await runtime.exec('update-alternatives --set iptables /usr/sbin/iptables-nft');
      const before = await runtime.exec('cat /proc/net/ip_tables_names 2>/dev/null || true');
      await runtime.inside(image, 'iptables -t nat -A POSTROUTING -m comment --comment kubexm-test -j MASQUERADE');
      expect(await runtime.exec('iptables-nft-save -t nat')).toContain('kubexm-test');
      await runtime.exec('iptables-nft -t nat -F');
      expect(await runtime.exec('cat /proc/net/ip_tables_names 2>/dev/null || true')).toBe(before);
    });

    test('it follows a kubelet that uses the other kind, where the kernel has it', async () => {
      const has = await runtime.exec(
        'iptables-legacy -t mangle -N KUBE-IPTABLES-HINT 2>/dev/null && echo yes || echo no',
      );
      expect(await runtime.inside(image, 'iptables --version')).toContain(
        has.trim() === 'yes' ? '(legacy)' : '(nf_tables)',
      );
      await runtime.exec('iptables-legacy -t mangle -X KUBE-IPTABLES-HINT || true');
    });
  });

  describeImage('etcd', ['etcd', 'etcdctl', 'etcdutl'], 'etcd', () => {
    test('serves, and its own etcdctl talks to it', { timeout: 60 * MINUTES }, async () => {
      const image = await runtime.imported('etcd', 'etcd');
      await runtime.start(image, 'etcd');
      try {
        await runtime.exec(
          'for i in $(seq 40); do ctr -n k8s.io tasks exec --exec-id h$i etcd etcdctl endpoint health && exit 0; sleep 0.5; done; exit 1',
        );
        expect(await runtime.ctr('tasks exec --exec-id put etcd etcdctl put a b')).toContain('OK');
        expect(await runtime.ctr('tasks exec --exec-id get etcd etcdctl get a')).toBe('a\nb\n');
        expect(await runtime.inside(image, 'etcdutl version')).toContain('etcdutl version: 3.');
      } finally {
        await runtime.stop('etcd');
      }
    });
  });

  describeImage('coredns', ['coredns'], 'coredns', () => {
    test('answers a query as its Corefile says', { timeout: 60 * MINUTES }, async () => {
      const image = await runtime.imported('coredns', 'coredns');
      await runtime.exec(
        `mkdir -p /root/coredns && printf '.:53 {\\n  hosts {\\n    192.0.2.7 sample.example\\n  }\\n}\\n' >/root/coredns/Corefile`,
      );
      // As in kubeadm's manifest: a root that cannot be written, and no right but to take a low port.
      const options = `--read-only ${ONLY_LOW_PORTS} ${bound('/root/coredns', '/etc/coredns')}`;
      await runtime.start(image, 'coredns', options, '/coredns -conf /etc/coredns/Corefile');
      try {
        expect(await resolved('sample.example', runtime.address)).toEqual(['192.0.2.7']);
        expect(await runtime.ctr('tasks exec --exec-id v coredns /coredns -version')).toContain('CoreDNS-1.');
        const status = await runtime.exec('grep CapEff /proc/$(pidof coredns)/status');
        expect(status).toMatch(/0000000000000400$/m);
      } finally {
        await runtime.stop('coredns');
      }
    });
  });

  describeImage('flannel', ['flannel', 'flanneld'], 'flannel', () => {
    test('does what its manifest runs in it', { timeout: 60 * MINUTES }, async () => {
      const [flannel, plugin] = [
        await runtime.imported('flannel', 'flannel'),
        await runtime.imported('flannel', 'flannel-cni-plugin'),
      ];
      expect(await runtime.inside(flannel, '/opt/bin/flanneld --version')).toMatch(/^v0\./);
      expect(await runtime.inside(flannel, 'iptables --version')).toMatch(/iptables v1\./);
      await runtime.exec('mkdir -p /root/out /root/flannel && echo {} >/root/flannel/cni-conf.json');
      await runtime.ctr(
        `run --rm ${bound('/root/out', '/etc/cni/net.d', 'rw')} ${bound('/root/flannel', '/etc/kube-flannel')} ${flannel} conf cp -f /etc/kube-flannel/cni-conf.json /etc/cni/net.d/10-flannel.conflist`,
      );
      await runtime.ctr(
        `run --rm ${bound('/root/out', '/opt/cni/bin', 'rw')} ${plugin} plugin cp -f /flannel /opt/cni/bin/flannel`,
      );
      expect(await runtime.exec('cat /root/out/10-flannel.conflist')).toBe('{}\n');
      expect(await runtime.exec('CNI_COMMAND=VERSION /root/out/flannel </dev/null')).toContain('supportedVersions');
    });
  });

  const CONTROL = ['kube-apiserver', 'kube-controller-manager', 'kube-scheduler'];
  for (const name of CONTROL) {
    describeImage('kubernetes', [name], name, () => {
      test('is called by its name, as kubeadm does', { timeout: 60 * MINUTES }, async () => {
        expect(await runtime.inside(await runtime.imported('kubernetes', name), `${name} --version`)).toMatch(
          /^Kubernetes v1\./,
        );
      });
    });
  }

  describeImage('metrics-server', ['metrics-server'], 'metrics-server', () => {
    test('starts', { timeout: 60 * MINUTES }, async () => {
      expect(
        await runtime.inside(await runtime.imported('metrics-server', 'metrics-server'), '/metrics-server --version'),
      ).toMatch(/v0\./);
    });
  });

  const newer = RUNTIME.map((name) => foundProgram('containerd', name));
  const runc = foundProgram('runc', 'runc');
  const why = newer.includes(undefined) || runc === undefined ? 'needs containerd and runc to be built' : undefined;
  test.skipIf(why !== undefined)(
    named('the containerd that clusters get takes them too', why),
    { timeout: 10 * MINUTES },
    async () => {
      const pause = await runtime.imported('pause', 'pause');
      const haproxy = await runtime.imported('haproxy', 'haproxy');
      for (const [i, name] of RUNTIME.entries()) await runtime.put(newer[i]!, `/usr/local/bin/${name}`);
      await runtime.put(runc!, '/usr/local/sbin/runc');
      await runtime.exec(
        'mkdir -p /var/lib/containerd/other && systemd-run -q --unit=other-containerd /usr/local/bin/containerd --root /var/lib/containerd/other --state /run/other --address /run/other.sock',
      );
      const other = '/usr/local/bin/ctr -a /run/other.sock -n k8s.io';
      try {
        await runtime.exec(
          `for i in $(seq 40); do ${other} version >/dev/null 2>&1 && exit 0; sleep 0.25; done; exit 1`,
        );
        for (const name of ['pause', 'haproxy']) await runtime.exec(`${other} images import /root/${name}.tar`);
        expect(await runtime.exec(`${other} run --rm ${pause} one /pause --version`)).toContain('kubexm pause');
        expect(await runtime.exec(`${other} run --rm ${haproxy} two haproxy -v`)).toContain('HAProxy version');
      } finally {
        await runtime.exec(
          'systemctl stop other-containerd; rm -rf /usr/local/bin/ctr /usr/local/bin/containerd /usr/local/bin/containerd-shim-runc-v2 /usr/local/sbin/runc',
        );
      }
    },
  );
});

/** Asks a server until it is there. */
async function resolved(name: string, server: string): Promise<readonly string[]> {
  for (let tries = 0; ; tries++) {
    const resolver = new Resolver({ timeout: 1000, tries: 1 });
    resolver.setServers([server]);
    const answer = await resolver.resolve4(name).catch((error: unknown) => {
      if (tries === 30) throw error;
    });
    if (answer !== undefined) return answer;
    await new Promise((resolve) => setTimeout(resolve, 250));
  }
}
