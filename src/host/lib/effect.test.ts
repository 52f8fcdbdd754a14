import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, expect } from 'vitest';
import { inEveryShell, runWithLibrary } from '../../../test/rig/posix-shells.ts';

const SAVED = `# Generated
*nat
:PREROUTING ACCEPT [0:0]
:KUBE-SERVICES - [0:0]
:KUBE-SVC-ABC - [0:0]
:KUBELIKE - [0:0]
-A PREROUTING -m comment --comment "kubernetes service portals" -j KUBE-SERVICES
-A KUBE-SERVICES -d 10.96.0.1/32 -j KUBE-SVC-ABC
-A KUBE-SVC-ABC -j ACCEPT
COMMIT
*filter
:INPUT ACCEPT [0:0]
:KUBE-FIREWALL - [0:0]
-A INPUT -j KUBE-FIREWALL
COMMIT
`;

const ROUTES = `10.66.0.0/25 dev cni0 proto kernel scope link src 10.66.0.1 linkdown
10.66.0.128/25 via 10.1.0.3 dev eth0 proto 17 metric 20 onlink
10.66.1.0/24 proto static
\tnexthop via 10.1.0.3 dev eth0 weight 1
\tnexthop via 10.1.0.4 dev eth0 weight 1
10.66.2.9 via 10.1.0.4 dev eth0
blackhole 10.66.3.0/24
`;

/** Programs stand in for those of the system, and only write down what they were told. */
inEveryShell('effects', (shell, test) => {
  let dir: string;

  beforeEach(async () => {
    dir = await mkdtemp(join(tmpdir(), 'kx-effect-'));
    await mkdir(join(dir, 'bin'));
    await writeFile(join(dir, 'saved'), SAVED);
    await program('nft', 'if [ "$1" = list ]; then printf "table %s kube-proxy\\ntable %s other\\n" $3 $3; fi');
    await program('ipset', 'if [ "$1" = list ]; then printf "KUBE-A\\nKUBE-B\\nmine\\n"; fi');
    const save = `if [ -n "$2" ]; then sed -n "/^\\*$2/,/^COMMIT/p" ${dir}/saved; else cat ${dir}/saved; fi`;
    await program('iptables-nft-save', save);
    await program('iptables-nft-restore', `cat >>${dir}/log`);
    for (const name of ['iptables-legacy', 'ip6tables-nft', 'ip6tables-legacy']) await program(`${name}-save`, ':');
    await program(
      'ip',
      `case $* in *'route show'*) cat ${dir}/routes ;; *'address show'*) cat ${dir}/addresses ;; *) ! test -e ${dir}/broken ;; esac`,
    );
    await writeFile(join(dir, 'routes'), ROUTES);
    await writeFile(
      join(dir, 'addresses'),
      '2: eth0    inet 10.1.0.250/32 scope global eth0\\       valid_lft forever\n',
    );
    for (const name of ['umount', 'userdel', 'groupdel']) await program(name, ':');
  });
  afterEach(() => rm(dir, { recursive: true, force: true }));

  const program = (name: string, body: string) =>
    writeFile(join(dir, 'bin', name), `#!/bin/sh\necho "${name} $*" >>${dir}/log\n${body}\n`, { mode: 0o755 });
  const run = async (script: string) => {
    await writeFile(join(dir, 'log'), '');
    const found = await runWithLibrary(shell, `PATH=${dir}/bin:$PATH\n${script}`, {
      state: join(dir, 'state'),
      run: join(dir, 'run'),
    });
    return { ...found, log: await readFile(join(dir, 'log'), 'utf8') };
  };
  const look = async (effect: string) => (await run(`kx_effect_look '${effect}'`)).stdout;

  test('what was kept of somebody else’s stays when the directory around it goes', async () => {
    const tree = join(dir, 'home/.kube');
    await mkdir(join(tree, 'cache/deep'), { recursive: true });
    await mkdir(join(tree, 'd.kubexm-kept-20260101'));
    const kept = ['config.kubexm-kept-20260101', 'd.kubexm-kept-20260101/theirs'];
    for (const name of ['config', 'cache/deep/x', ...kept]) await writeFile(join(tree, name), name);
    const { code, stderr } = await run(
      `kx_effect_look 'path ${tree}' | while IFS= read -r x; do kx_effect_remove path "$x"; done`,
    );
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    const left = await readdir(tree, { recursive: true });
    expect(left.toSorted()).toEqual([kept[0], 'd.kubexm-kept-20260101', kept[1]]);
  });

  test('in a directory of others, what begins with a prefix is found and goes', async () => {
    for (const name of ['io.one/a', 'io.two/b', 'ion', 'theirs/io.one']) {
      await mkdir(join(dir, 'data', dirname(name)), { recursive: true });
      await writeFile(join(dir, 'data', name), name);
    }
    const found = `${dir}/data/io.one\n${dir}/data/io.two\n`;
    expect(await look(`paths ${dir}/data/io.`)).toBe(found);
    expect((await run(`kx_effect_remove paths ${dir}/data/io.one`)).code).toBe(0);
    const left = await readdir(join(dir, 'data'));
    expect(left.toSorted()).toEqual(['io.two', 'ion', 'theirs']);
  });

  test('a directory is found with those above it, and goes when it is empty', async () => {
    await mkdir(join(dir, 'a/b/c'), { recursive: true });
    expect(await look(`directory ${dir}/a/b/c/`)).toMatch(`${dir}/a/b/c\n${dir}/a/b\n${dir}/a\n${dir}\n`);
    expect(await look(`directory ${dir}/a/no/such`)).toMatch(new RegExp(`^${dir}/a\n`));
    expect((await run(`kx_effect_remove directory ${dir}/a/b; kx_effect_remove directory ${dir}/a/b/c`)).code).toBe(0);
    expect(await readdir(join(dir, 'a/b'))).toEqual([]);
  });

  const kinds = [
    ['nft-tables inet kube', 'inet kube-proxy\n'],
    ['shared-table ip other', 'ip other\n'],
    ['shared-table ip oth', ''],
    ['ports no-such-bridge veth', ''],
    ['ipsets KUBE-', 'KUBE-A\nKUBE-B\n'],
    ['links lo', 'lo\n'],
    ['links no-such-link', ''],
    ['address 10.1.0.250', '10.1.0.250/32 dev eth0\n'],
    ['namespaces no-such-namespace', ''],
    ['cgroups no-such-group', ''],
    ['user root', 'root\n'],
    ['user roo', ''],
    ['group root', 'root\n'],
    ['mounts /no/such/place', ''],
  ] as const;
  for (const [effect, found] of kinds)
    test(`${effect} are found`, async () => {
      expect(await look(effect)).toBe(found);
    });

  test('chains are found by prefix, in every table', async () => {
    expect((await look('iptables-chains KUBE-')).trimEnd().split('\n')).toEqual([
      'iptables-nft nat KUBE-SERVICES',
      'iptables-nft nat KUBE-SVC-ABC',
      'iptables-nft filter KUBE-FIREWALL',
    ]);
  });

  test('a chain goes with the rules that lead to it, and their quotes are kept', async () => {
    const { code, log } = await run("kx_effect_remove iptables-chains 'iptables-nft nat KUBE-SERVICES'");
    expect(code).toBe(0);
    // Both programs run at once: who writes first is not said.
    const lines = log.split('\n').filter((line) => !/^iptables-nft-(save|restore) /.test(line));
    expect(lines).toEqual([
      '*nat',
      '-D PREROUTING -m comment --comment "kubernetes service portals" -j KUBE-SERVICES',
      '-F KUBE-SERVICES',
      '-X KUBE-SERVICES',
      'COMMIT',
      '',
    ]);
  });

  const removals = [
    ['nft-tables', 'inet kube-proxy', 'nft delete table inet kube-proxy\n'],
    ['shared-table', 'ip nat', 'nft delete table ip nat\n'],
    ['ports', 'veth1', 'ip link delete dev veth1\n'],
    ['ipsets', 'KUBE-A', 'ipset destroy KUBE-A\n'],
    ['links', 'cni0', 'ip link delete dev cni0\n'],
    ['address', '10.1.0.250/32 dev eth0', 'ip -4 address delete 10.1.0.250/32 dev eth0\n'],
    ['routes', '10.66.1.0/24 via 10.1.0.2 dev eth0', 'ip -4 route delete 10.66.1.0/24 via 10.1.0.2 dev eth0\n'],
    ['routes', 'fd85::1:0/120 via fd00::2 dev eth0', 'ip -6 route delete fd85::1:0/120 via fd00::2 dev eth0\n'],
    ['mounts', '/var/lib/kubelet/pods/x', 'umount -- /var/lib/kubelet/pods/x\n'],
    ['namespaces', 'cni-1', 'ip netns delete cni-1\n'],
    ['user', 'etcd', 'userdel -- etcd\n'],
    ['group', 'root', 'groupdel -- root\n'],
    ['group', 'no-such-group', ''],
    ['cgroups', '/sys/fs/cgroup/no-such-group', ''],
  ] as const;
  for (const [type, name, log] of removals)
    test(`${type} ${name} is taken away`, async () => {
      expect(await run(`kx_effect_remove ${type} '${name}'`)).toMatchObject({ code: 0, log });
    });

  test('routes are found as the words that delete them, in the family of their network', async () => {
    const { stdout, log } = await run(
      "kx_effect_look 'routes 10.66.0.0/16'; kx_effect_look 'routes fd85::/64' >/dev/null",
    );
    expect(stdout.split('\n')).toEqual([
      '10.66.0.0/25 dev cni0',
      '10.66.0.128/25 via 10.1.0.3 dev eth0 metric 20',
      '10.66.1.0/24',
      '10.66.2.9 via 10.1.0.4 dev eth0',
      '',
    ]);
    expect(log).toBe('ip -4 route show root 10.66.0.0/16\nip -6 route show root fd85::/64\n');
  });

  test('a route that cannot be deleted has failed, unless it is gone', async () => {
    await writeFile(join(dir, 'broken'), '');
    expect((await run("kx_effect_remove routes '10.66.2.9 via 10.1.0.4 dev eth0'")).code).toBe(1);
    expect((await run("kx_effect_remove routes '10.66.3.0/24 via 10.1.0.4 dev eth0'")).code).toBe(0);
  });

  test('directories in which containers of others are mounted, or of which they are made, stay and are reported; pods go', async (context) => {
    if (process.getuid?.() !== 0) context.skip('needs root');
    const [run_, data] = [join(dir, 'run/containerd'), join(dir, 'data')];
    const at = (space: string) => `${run_}/task/${space}/1/rootfs`;
    const start = (space: string) => `mkdir -p ${at(space)} ${data}/${space}/upper ${data}/${space}/work
mount -t overlay overlay -o lowerdir=${dir}/bin,upperdir=${data}/${space}/upper,workdir=${data}/${space}/work ${at(space)}`;
    const effects = [`mounts ${run_}/task/k8s.io`, `path ${run_}/task/k8s.io`, `path ${run_}`, `path ${data}`];
    const script = (
      others: string,
    ) => `kx_own key uid demo '{}' 60 ${effects.map((one, i) => `'e ${i} ${one}'`).join(' ')}
${start('k8s.io')} && ${others} && kx_reset_effects 000001; echo $?; cat ${dir}/state/manifest/left; cat ${at('default')}/ip 2>/dev/null | head -n 1
umount ${at('default')} 2>/dev/null; rm -rf ${dir}/state`;
    // In a mount namespace of its own, which takes with it what a failure leaves.
    const alone = {
      ...shell,
      file: 'unshare',
      args: ['--mount', '--propagation', 'private', shell.file, ...shell.args],
    };
    const places = { state: join(dir, 'state'), run: join(dir, 'run-dir') };
    const outcome = async (others: string) => (await runWithLibrary(alone, script(others), places)).stdout;
    expect((await outcome(start('default'))).trimEnd().split('\n').toSorted()).toEqual([
      '#!/bin/sh',
      `${data} stays: containers that are not in pods use it`,
      `${run_} stays: what is mounted there is not the cluster's`,
      '0',
    ]);
    expect(await readdir(join(run_, 'task'))).toEqual(['default']);
    for (const path of [run_, data]) await rm(path, { recursive: true });
    expect((await outcome(':')).trim()).toBe('0');
    expect([existsSync(run_), existsSync(data)]).toEqual([false, false]);
  });

  test('mounts are found at and below a path, the deepest first', async () => {
    const { stdout } = await run('kx_mounts_below /proc');
    expect(stdout.trimEnd().split('\n').at(-1)).toBe('/proc');
    expect((await run('kx_mounts_below /pro')).stdout).toBe('');
    expect((await run('kx_mounts_below /')).stdout.trimEnd().split('\n').length).toBeGreaterThan(2);
  });

  test('a directory goes with all that is in it; one of the system never may, whatever its name', async () => {
    const made = join(dir, 'made it');
    await mkdir(join(made, 'below'), { recursive: true });
    expect((await run(`kx_effect_remove path '${made}'`)).code).toBe(0);
    expect(existsSync(made)).toBe(false);
    await symlink('/etc', join(dir, 'link'));
    for (const path of ['/', '/etc', '//etc/', '/var/lib', '/usr', `${dir}/link`, '/proc/self/root/etc', '/proc']) {
      expect(await run(`kx_may_go '${path}'`)).toMatchObject({ code: 1 });
    }
    // The link itself is nobody's directory: it goes, and what it leads to stays.
    expect((await run(`kx_effect_remove path '${dir}/link'`)).code).toBe(0);
    expect(existsSync(join(dir, 'link'))).toBe(false);
    expect(existsSync('/etc/passwd')).toBe(true);
  });
});
