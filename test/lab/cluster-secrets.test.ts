import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { labConfig } from '../../src/lab/config.ts';
import { formsOf } from '../../src/observe/redact/forms.ts';
import { thorough } from '../rig/thorough.ts';
import { filesBelow } from '../support/files-below.ts';
import { watchProcesses } from '../support/watch-processes.ts';
import { LOGIN } from './behind-bastion.ts';
import { BUILD, type ClusterLab, clusterLab, MINUTE } from './cluster-lab.ts';
import { describeLab, type TestLab } from './fixture.ts';

/**
 * A cluster of all machines but the first, which is the only way to them. Both are masters, so that the keys of the control plane
 * travel too; the first machine is also their load balancer.
 */
async function behindBastion(lab: TestLab): Promise<string> {
  const all = await lab.look();
  const [bastion, ...machines] = all.machines;
  const [first, second] = machines;
  const hop = `    bastion: {address: ${bastion?.address}, user: ${bastion?.user}, privateKeyPath: ${bastion?.sshKeyPath}}\n`;
  const proxy = `/lib/systemd/systemd-socket-proxyd ${first?.address}:6443`;
  await lab.exec(1, `systemd-run --unit balancer systemd-socket-activate -l 6443 ${proxy}`);
  return labConfig({ ...all, machines })
    .replace('    sshConfig: none\n', `    sshConfig: none\n${hop}`)
    .replace('    worker:\n', `      - ${second?.name}\n    worker:\n`)
    .concat(`  controlPlaneEndpoint: {externalLoadBalancer: external, lb_address: ${bastion?.address}}\n`);
}

describeLab('behind a bastion, with a user whom sudo asks for a password', () => {
  test('the secrets of a cluster are in no log, journal, event, argument or file, on either side; its masters go without a trace', {
    timeout: BUILD,
  }, async (context) => {
    if (!thorough) return context.skip('needs minutes: npm run test:lab');
    const cluster = await clusterLab(3, { ...LOGIN, config: behindBastion, master: 2 });
    context.onTestFinished(() => cluster.close(), 2 * MINUTE);
    const { lab, dir, kubectl } = cluster;
    await Promise.all([1, 2, 3].map((machine) => lab.exec(machine, 'touch /run/before-the-cluster')));
    const watch = watchProcesses(['cmdline'], 100);
    let over = false;
    const tokens = new Set<string>();
    const keys = new Set<string>();
    const watching = [watchTokens(kubectl, tokens, () => over), watchKeys(lab, keys, () => over)];
    const said = await cluster.kubexm(['create', 'cluster']).finally(() => {
      over = true;
    });
    await Promise.all(watching);
    const words = await watch.stop();
    expect(said.code, said.stderr).toBe(0);
    expect(await cluster.states()).toEqual(['Ready', 'Ready']);

    // That of kubeadm init, that of the nodes that join, and the one that the uploaded certificates live and die with.
    expect([...tokens].map((one) => one.length)).toEqual([16, 16, 16]);
    expect(await tokensOf(kubectl, 'kubexm:')).toEqual([]);
    expect([...keys].map((one) => one.length)).toEqual([64]);
    const secrets = [LOGIN.sudoPassword, ...tokens, ...keys];
    const forms = secrets.flatMap((one) => [...formsOf(one).map(({ text }) => text), Buffer.from(one).toString('hex')]);
    // What is sent is the whole document of kubeadm, in base64.
    for (const token of tokens)
      for (const before of ['', ' ', '  '])
        expect(forms.some((form) => Buffer.from(`${before}token: ${token}\n`).toString('base64').includes(form))).toBe(
          true,
        );

    const holds = (text: string | Buffer) => forms.some((form) => text.includes(form));
    expect(words.filter(holds)).toEqual([]);
    expect(words.some((text) => text.includes('kubeadm'))).toBe(true);
    expect(holds(said.stdout) || holds(said.stderr)).toBe(false);
    const own = filesBelow(join(dir, '.kubexm')).filter(
      (file) => !/\/(images|kubernetes|container_runtime)\//.test(file),
    );
    expect(own.length).toBeGreaterThan(5);
    expect(own.filter((file) => holds(readFileSync(file)))).toEqual([]);

    for (const machine of [1, 2, 3]) {
      await lab.exec(machine, `echo ${Buffer.from(`${forms[0]}\n`).toString('base64')} | base64 -d >/root/planted`);
      expect(await filesWith(lab, machine, forms), `machine ${machine}`).toEqual(['/root/planted']);
      await lab.exec(machine, 'rm /root/planted');
    }

    await cluster.well(['create', 'cluster', '--detailed-exitcode']);
    await cluster.well(['delete', 'cluster']);
    await lab.exec(1, 'systemctl stop balancer');
    expect(await cluster.traces()).toEqual({});
  });
});

/** Files of a machine that have come or changed with the cluster and hold one of these. */
async function filesWith(lab: TestLab, machine: number, forms: readonly string[]): Promise<readonly string[]> {
  const list = Buffer.from(forms.map((form) => `${form}\n`).join('')).toString('base64');
  // Tokens are in the cluster's own store: that is what they are for.
  const found = await lab.exec(
    machine,
    `umask 077; cd /dev/shm; echo ${list} | base64 -d >forms
{ find / -xdev -type f -newer /run/before-the-cluster; find /run /tmp -xdev -type f; } |
  grep -v -e ^/var/lib/etcd/ -e ^/etc/shadow | sort -u | tr '\\n' '\\0' >files
xargs -0 grep -alF -f forms <files 2>/dev/null
rm forms files`,
  );
  return found.trim().split('\n').filter(Boolean);
}

/** The secrets of tokens whose description begins so. */
async function tokensOf(kubectl: ClusterLab['kubectl'], description: string): Promise<readonly string[]> {
  const said = await kubectl(
    `-n kube-system get secrets --field-selector type=bootstrap.kubernetes.io/token -o go-template='{{range .items}}{{.data.description}} {{index .data "token-secret"}}{{"\\n"}}{{end}}'`,
  );
  const lines = said.split('\n').filter((line) => line !== '');
  const texts = lines.map((line) => line.split(' ').map((word) => Buffer.from(word, 'base64').toString()));
  return texts.flatMap(([what = '', secret = '']) => (what.startsWith(description) ? [secret] : []));
}

/** Finds the key of the certificates that a master fetches while it joins: kubeadm reads it from a file of that moment. */
async function watchKeys(lab: TestLab, found: Set<string>, over: () => boolean): Promise<void> {
  const look = `grep -rhoE 'certificateKey"?: *"?[0-9a-f]{64}' /run/kubexm 2>/dev/null || :`;
  while (!over()) {
    for (const line of (await lab.exec(3, look)).split('\n').filter(Boolean)) found.add(line.slice(-64));
    await sleep(100);
  }
}

/** Collects them all while the cluster comes up. */
async function watchTokens(kubectl: ClusterLab['kubectl'], found: Set<string>, over: () => boolean): Promise<void> {
  while (!over()) {
    for (const one of await tokensOf(kubectl, '').catch(() => [])) found.add(one);
    await sleep(300);
  }
}
