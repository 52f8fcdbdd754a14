import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { execInMachine, openLab } from '../../src/lab/index.ts';
import { cli, type Ended } from '../cli/rig/cli.ts';
import { describeLab, labEnv, removeEnv } from './fixture.ts';

const MINUTE = 60_000;
/** Kubernetes itself is built from source where nothing but package registries is reachable: once, then it is in the cache. */
const BUILD = 40 * MINUTE;

/** The README's main command as a person uses it, in an empty directory; killed once on its way. */
describeLab('quickstart', () => {
  let env: NodeJS.ProcessEnv;
  let dir: string;
  let place: string;
  /** Why there can be no cluster here. */
  let problem: string | undefined;
  const kubexm = (...args: string[]): Promise<Ended> => cli(args, { cwd: dir, env });
  const inMachine = async (index: number, script: string): Promise<string> => {
    const machine = (await openLab('quickstart', { env })).machines[index - 1]!;
    const { code, stdout, stderr } = await execInMachine(machine, script);
    if (code !== 0) throw new Error(`${script} ended with ${code}: ${stderr || stdout}`);
    return stdout;
  };
  const kubectl = (words: string) => inMachine(1, `kubectl --kubeconfig /etc/kubernetes/admin.conf ${words}`);
  const namespaces = async () => (await kubectl('get namespaces -o name')).trim().split('\n');

  beforeAll(() => {
    dir = mkdtempSync(join(tmpdir(), 'kubexm-lab-quickstart-'));
    // Clusters that the user knows are none of the test's business; what they were made from is.
    const home = join(dir, 'home');
    mkdirSync(join(home, '.kubexm'), { recursive: true });
    const go = process.env['GOPATH'] ?? join(process.env['HOME'] ?? '/root', 'go');
    env = { ...labEnv(), HOME: home, GOPATH: go };
    place = join(dir, '.kubexm', 'quickstart');
  });
  afterAll(async () => {
    await removeEnv(env);
    rmSync(dir, { recursive: true, force: true });
  }, 2 * MINUTE);

  test('killed while the first master comes up, it goes on: nodes, kubeconfig, what to type next', {
    timeout: BUILD,
  }, async (context) => {
    const killed = await cli(['quickstart'], {
      cwd: dir,
      env,
      started: (child) =>
        child.stderr?.on('data', (text: Buffer) => {
          if (/kubernetes\/init\/\S+: started/.test(text.toString())) child.kill('SIGKILL');
        }),
    });
    problem = /KX701[56] .*/.exec(killed.stderr)?.[0];
    if (problem !== undefined) return context.skip(problem);
    expect(killed.code, killed.stderr).toBe(null);
    expect(killed.stderr).toMatch(/Kubernetes v1\.\d+\.\d+ on 2 machines of this box, in about/);

    const made = await kubexm('quickstart');
    expect(made.code, made.stderr).toBe(0);
    expect(made.stderr).toContain('The machines are there: quickstart-1, quickstart-2');
    const [head, ...nodes] = made.stdout.trim().split('\n');
    expect(head).toMatch(/^NAME +STATUS/);
    expect(nodes.map((line) => line.split(/ +/).slice(0, 3))).toEqual([
      ['quickstart-1', 'Ready', 'control-plane'],
      ['quickstart-2', 'Ready', 'worker'],
    ]);
    expect(made.stderr).toMatch(/The cluster works\. Checks: 14/);
    expect(made.stderr).toContain(`export KUBECONFIG=${join(place, 'kubeconfig')}`);
    expect(await namespaces()).not.toContain('namespace/kubexm-check');
  });

  test('what it says to type next works on this machine', async (context) => {
    if (problem !== undefined) return context.skip(problem);
    const kubeconfig = join(place, 'kubeconfig');
    expect(statSync(kubeconfig).mode & 0o777).toBe(0o600);
    const [version = ''] = readdirSync(join(place, 'kubernetes'));
    const [arch = ''] = readdirSync(join(place, 'kubernetes', version));
    const program = join(place, 'kubernetes', version, arch, 'kubectl');
    const said = execFileSync(program, ['get', '--raw', '/readyz'], {
      env: { KUBECONFIG: kubeconfig },
      encoding: 'utf8',
    });
    expect(said).toBe('ok');
  });

  test('again, from elsewhere: the same cluster, and create changes nothing', {
    timeout: 5 * MINUTE,
  }, async (context) => {
    if (problem !== undefined) return context.skip(problem);
    const elsewhere = join(dir, 'elsewhere');
    mkdirSync(elsewhere);
    const again = await cli(['quickstart', '--nodes', '2'], { cwd: elsewhere, env });
    expect(again.code, again.stderr).toBe(0);
    expect(readdirSync(elsewhere)).toEqual([]);
    const changed = [...again.stderr.matchAll(/^(\S+): changed/gm)].map((match) => match[1] ?? '');
    expect(changed.filter((node) => !node.startsWith('smoke/'))).toEqual([]);
    const other = await kubexm('quickstart', '--nodes', '3');
    expect(other).toMatchObject({ code: 64 });
    expect(other.stderr).toContain('KX6630');
  });

  test('check cluster tells what is broken, and leaves nothing behind', { timeout: 5 * MINUTE }, async (context) => {
    if (problem !== undefined) return context.skip(problem);
    const config = join(place, 'quickstart.yaml');
    // The network between pods of different nodes, and nothing else.
    await inMachine(2, 'iptables -I INPUT -p udp --dport 8472 -j DROP');
    const broken = await kubexm('check', 'cluster', '-f', config, '--lang', 'zh');
    await inMachine(2, 'iptables -D INPUT -p udp --dport 8472 -j DROP');
    expect(broken.code, broken.stderr).toBe(1);
    expect(broken.stderr).toContain('集群工作不正常');
    for (const [from, to] of [
      ['1', '2'],
      ['2', '1'],
    ])
      expect(broken.stderr).toContain(`KX4602 quickstart-${from} 上的 Pod 无法访问 quickstart-${to} 上的 Pod`);
    // Whatever needs no other node still works.
    expect(broken.stderr.match(/KX4606|KX4607/)).toBe(null);
    expect(broken.stderr).toContain('KX4600');
    expect(await namespaces()).not.toContain('namespace/kubexm-check');
    for (const i of [1, 2]) expect(await inMachine(i, 'ctr -n k8s.io images ls -q')).not.toContain('testserver');
    const dry = await kubexm('create', 'cluster', '-f', config, '--yes', '--dry-run', '--detailed-exitcode');
    expect(dry.code, dry.stdout).toBe(0);
  });

  test('deleted: no machine, no directory, no context; what was built stays', {
    timeout: 5 * MINUTE,
  }, async (context) => {
    if (problem !== undefined) return context.skip(problem);
    const asked = await kubexm('quickstart', '--delete');
    expect(asked.code).toBe(64);
    expect(existsSync(place)).toBe(true);
    const deleted = await kubexm('quickstart', '--delete', '--yes');
    expect(deleted.code, deleted.stderr).toBe(0);
    expect(existsSync(join(dir, '.kubexm'))).toBe(false);
    expect((await kubexm('lab', 'list', '-o', 'json')).stdout.trim()).toBe('[]');
    expect((await kubexm('config', 'get-contexts', '-o', 'name')).stdout).toBe('');
    expect((await kubexm('quickstart', '--delete', '--yes')).stderr).toContain('There is no quickstart cluster.');
  });
});
