import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, expect } from 'vitest';
import { inEveryShell, runWithLibrary } from '../../../test/rig/posix-shells.ts';
import { effectWords } from '../../engine/manifest.ts';
import { type NodePlaces, placesEffects, resetForAnotherTry, resetNode } from './places.ts';

/** Stands in for kubeadm: notes its words and, where it is to take a member out of etcd, empties directories as kubeadm does. */
const KUBEADM = `#!/bin/sh
echo "$*" >>"$ROOT/said"
[ -e "$ROOT/etc/kubernetes/admin.conf" ] || echo 'without admin.conf' >>"$ROOT/said"
case $* in *--skip-phases=remove-etcd-member*) ;; *) rm -rf "$ROOT"/data/* "$ROOT"/var/lib/etcd/* ;; esac
`;

inEveryShell('undoing a node', (shell, test) => {
  let root: string;
  let data: string;

  beforeEach(async () => {
    root = await mkdtemp(join(tmpdir(), 'kx-places-'));
    data = join(root, 'data');
    await put('bin/kubeadm', KUBEADM, 0o755);
    await put('bin/systemctl', '#!/bin/sh\n', 0o755);
  });
  afterEach(() => rm(root, { recursive: true, force: true }));

  const put = async (name: string, text = name, mode = 0o644) => {
    await mkdir(dirname(join(root, name)), { recursive: true });
    await writeFile(join(root, name), text, { mode });
  };
  const master = (): NodePlaces => ({ criSocket: '/run/c.sock', etcdDir: data, kubeletDir: data });
  /** The directories of the system are those of the test. */
  const here = (text: string) => text.replaceAll(/(?<![\w/])\/(etc|var)\//g, `${root}/$1/`);
  const run = async (script: string) => {
    const places = { state: join(root, 'state'), run: join(root, 'run') };
    const { code, stderr } = await runWithLibrary(
      shell,
      `PATH=${root}/bin:$PATH ROOT=${root} KX_REPORTS=${root}/reports\nexport ROOT\n${script}`,
      places,
    );
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  };
  const said = () => readFile(join(root, 'said'), 'utf8');
  const files = async (dir: string) =>
    (await readdir(join(root, dir), { recursive: true, withFileTypes: true }))
      .filter((entry) => !entry.isDirectory())
      .map((entry) => join(entry.parentPath, entry.name).slice(join(root, dir).length + 1))
      .toSorted();

  test('a node that tries to join again keeps its load balancer, and nothing that kubeadm has written', async () => {
    const pod = '/etc/kubernetes/manifests/haproxy.yaml';
    await put(pod, 'the proxy', 0o600);
    await put('etc/kubernetes/manifests/kube-apiserver.yaml');
    await put('etc/kubernetes/kubelet.conf');
    const worker = { criSocket: '/run/c.sock', kubeletDir: data, staticPods: [pod] };
    await run(here(resetForAnotherTry(worker).script));
    expect(await files('etc/kubernetes')).toEqual(['manifests/haproxy.yaml']);
    expect(await readFile(join(root, pod), 'utf8')).toBe('the proxy');
    await run(here(resetNode(worker)));
    expect(await files('etc/kubernetes')).toEqual([]);
  });

  test('what others have in the directories of the kubelet and etcd stays, and so does what is mounted', async () => {
    const theirs = [
      'base/db',
      'checkpoints/model',
      'member-of/staff',
      'plugins/theirs',
      'pods/volume',
      'state',
      'config.yaml',
    ];
    for (const name of [...theirs, 'member/snap/db', 'cpu_manager_state', 'allocated_pods_state'])
      await put(`data/${name}`);
    for (const name of [
      'config.yaml',
      'pki/kubelet.crt',
      'kubeadm-flags.env',
      'memory_manager_state',
      'seccomp/audit.json',
    ])
      await put(`var/lib/kubelet/${name}`);
    await put('var/lib/kubelet/plugins/csi/globalmount/file');
    for (const name of ['admin.conf', 'kubelet.conf', 'pki/ca.crt', 'manifests/etcd.yaml', 'theirs.yaml'])
      await put(`etc/kubernetes/${name}`);
    await run(here(resetNode(master())));
    expect(await files('data')).toEqual(theirs.toSorted());
    expect(await files('var/lib/kubelet')).toEqual(['plugins/csi/globalmount/file', 'seccomp/audit.json']);
    expect(await files('etc/kubernetes')).toEqual(['theirs.yaml']);
  });

  test('a link is removed, and not what it leads to', async () => {
    await put('elsewhere/db');
    await mkdir(data);
    await symlink(join(root, 'elsewhere'), join(data, 'member'));
    await run(here(resetNode(master())));
    expect(existsSync(join(data, 'member'))).toBe(false);
    expect(await files('elsewhere')).toEqual(['db']);
  });

  test('kubeadm takes a member out of etcd where nothing but the member can be lost', async () => {
    await put('etc/kubernetes/admin.conf');
    await put('data/member/wal');
    await run(here(resetNode(master())));
    expect(await said()).toBe('reset --force --cri-socket unix:///run/c.sock\n');
  });

  test('where the whole cluster goes, kubeadm finds nobody to ask, and the member goes with the rest', async () => {
    await put('etc/kubernetes/admin.conf');
    await put('data/member/wal');
    await run(`export KX_WHOLE=yes\n${here(resetNode(master()))}`);
    expect(await said()).toContain('--skip-phases=remove-etcd-member');
    expect(await said()).toContain('without admin.conf');
    expect(await files('data')).toEqual([]);
  });

  const spared = [
    ['there is more in the directory of etcd', ['etc/kubernetes/admin.conf', 'data/member/wal', 'data/theirs']],
    ['there is another etcd in the usual place', ['etc/kubernetes/admin.conf', 'var/lib/etcd/member/wal']],
    ['the master has not come so far', ['data/member/wal']],
  ] as const;
  for (const [why, names] of spared)
    test(`kubeadm leaves etcd alone where ${why}`, async () => {
      for (const name of names) await put(name);
      await run(here(resetNode(master())));
      expect(await said()).toContain('--skip-phases=remove-etcd-member');
      for (const name of names.filter((one) => !/admin.conf|data.member/.test(one))) await readFile(join(root, name));
    });

  test('kubeadm leaves etcd alone where its directory is a link to one with more in it', async () => {
    for (const name of ['etc/kubernetes/admin.conf', 'disk/member/wal', 'disk/theirs']) await put(name);
    await rm(data, { recursive: true, force: true });
    await symlink(join(root, 'disk'), data);
    await run(here(resetNode(master())));
    expect(await said()).toContain('--skip-phases=remove-etcd-member');
    expect(await readFile(join(root, 'reports'), 'utf8')).toMatch(
      /^left the member of this node stays registered in etcd/,
    );
    expect(await files('disk')).toEqual(['theirs']);
  });

  test('on a worker etcd is somebody else’s', async () => {
    await put('var/lib/etcd/member/wal');
    await put('data/member/wal');
    await run(here(resetNode({ criSocket: '/run/c.sock', kubeletDir: data })));
    expect(await said()).toContain('--skip-phases=remove-etcd-member');
    expect([await files('var/lib/etcd'), await files('data')]).toEqual([['member/wal'], ['member/wal']]);
  });

  const own = (places: NodePlaces) => {
    const effects = placesEffects(places).map((effect, i) => `'e ${i} ${here(effectWords(effect))}'`);
    return `kx_own key uid demo '{}' 60 ${effects.join(' ')}`;
  };
  const undo = 'kx_reset_effects 000001 && kx_reset_drop 000001';

  test('deleting takes what the kubelet and etcd have made, and leaves what others had and what they have put there since', async () => {
    const before = ['base/db', 'checkpoints/model'];
    for (const name of before) await put(`data/${name}`);
    await run(own(master()));
    const made = [
      'pods/1/volumes/x',
      'plugins/csi',
      'checkpoints/one.tar',
      'cpu_manager_state',
      'member/snap/db',
      'pods-api/s',
    ];
    const since = ['base/later', 'later/db'];
    for (const name of [...made, ...since]) await put(`data/${name}`);
    await put('var/lib/kubelet/config.yaml');
    await run(undo);
    expect(await files('data')).toEqual([...before, ...since].toSorted());
    expect(existsSync(join(root, 'var/lib/kubelet'))).toBe(false);
  });

  test('directories that were made for the cluster go, unless others use them', async () => {
    const places = { ...master(), etcdDir: join(data, 'a/etcd'), kubeletDir: join(data, 'b/kubelet') };
    await run(own(places));
    for (const name of ['a/etcd/member/wal', 'b/kubelet/pods/x', 'b/kubelet/mine']) await put(`data/${name}`);
    await run(undo);
    expect(await files('data')).toEqual(['b/kubelet/mine']);
    expect(await readdir(data)).toEqual(['b']);
    expect(await readFile(join(root, 'state/manifest/left'), 'utf8')).toMatch(/b\/kubelet stays: /);
  });
});
