import { execFileSync, spawnSync } from 'node:child_process';
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { output } from '../../model/host.ts';
import type { Script } from '../../model/script.ts';
import { daemonReady, daemonRevision, type NodeLabels, nodeLabels } from './index.ts';

const WORKER = { 'node-role.kubernetes.io/worker': '' };
const want: NodeLabels = { nodes: { node1: WORKER, node2: { ...WORKER, zone: 'a' }, node3: WORKER } };
const { probe, judge, apply, revert } = nodeLabels(want).step;
const row = (name: string, labels: object) => `${name}\t${JSON.stringify(labels)}\n`;

describe('labels of nodes', () => {
  test.each<[string, number, string, readonly string[]]>([
    ['all are there', 0, row('node1', WORKER) + row('node2', { ...WORKER, zone: 'a' }) + row('node3', WORKER), []],
    ['more than wanted', 0, row('node1', { ...WORKER, x: 'y' }) + row('node2', { ...WORKER, zone: 'a' }), []],
    ['one has not joined', 0, row('node1', WORKER) + row('node2', { ...WORKER, zone: 'a' }), []],
    ['one has none', 0, row('node1', {}), ['node1 node-role.kubernetes.io/worker']],
    ['another value', 0, row('node2', { ...WORKER, zone: 'b' }), ['node2 zone']],
    [
      'no cluster yet',
      1,
      '',
      [
        'node1 node-role.kubernetes.io/worker',
        'node2 node-role.kubernetes.io/worker',
        'node2 zone',
        'node3 node-role.kubernetes.io/worker',
      ],
    ],
  ])('%s', (_, code, stdout, missing) => {
    const verdict = judge?.(output(code, stdout), want);
    expect(verdict?.verdict).toBe(missing.length === 0 ? 'satisfied' : 'needed');
    expect(verdict?.verdict === 'needed' ? verdict.diff.map(({ what }) => what) : []).toEqual(missing);
  });

  test('the cluster is asked once, whatever the number of nodes', () => {
    expect(probe?.(want).script.match(/kubectl/g)).toHaveLength(1);
  });
});

describe('the commands', () => {
  let dir: string;
  beforeEach(() => {
    dir = mkdtempSync(join(tmpdir(), 'kubexm-labels-'));
    // Of three nodes, the third has not joined.
    const kubectl = `#!/bin/sh
while [ "\${1#-}" != "$1" ]; do case "$1" in --kubeconfig) shift ;; esac; shift; done
if [ "$1" = get ]; then [ ! -e "${dir}/silent" ] || exit 1; echo node/node1; echo node/node2; exit; fi
echo "$*" >>"${dir}/log"
case $* in *refused*) echo 'Error from server' >&2; exit 3 ;; esac
`;
    writeFileSync(join(dir, 'kubectl'), kubectl);
    chmodSync(join(dir, 'kubectl'), 0o755);
  });
  afterEach(() => rmSync(dir, { recursive: true, force: true }));

  const run = (script: unknown) => {
    const env = { PATH: `${dir}:${process.env['PATH']}` };
    execFileSync('/bin/sh', ['-c', (script as Script).script], { env, stdio: 'pipe' });
    return readFileSync(join(dir, 'log'), 'utf8').trim().split('\n');
  };

  test('one for all nodes with the same labels, and none for a node that has not joined', () => {
    expect(run(apply({} as never, want, {} as never))).toEqual([
      'label nodes node1 --overwrite node-role.kubernetes.io/worker=',
      'label nodes node2 --overwrite node-role.kubernetes.io/worker= zone=a',
    ]);
  });

  test('taken back is what was not there, and put back what was', () => {
    const before = { node1: { 'node-role.kubernetes.io/worker': null }, node2: { zone: 'b' } };
    expect(run(revert?.({} as never, want, before))).toEqual([
      'label nodes node1 --overwrite node-role.kubernetes.io/worker-',
      'label nodes node2 --overwrite zone=b',
    ]);
  });

  test('taken back from all nodes alike by one command; a node that is gone has none', () => {
    const back = { zone: null };
    expect(run(revert?.({} as never, want, { node1: back, node2: back, node3: back }))).toEqual([
      'label nodes node1 node2 --overwrite zone-',
    ]);
  });

  test('what cannot be put back is a failure, and the rest is put back', () => {
    const before = { node1: { zone: 'refused' }, node2: { zone: 'b' } };
    expect(() => run(revert?.({} as never, want, before))).toThrow(expect.objectContaining({ status: 3 }));
    expect(readFileSync(join(dir, 'log'), 'utf8')).toContain('label nodes node2 --overwrite zone=b');
  });

  test('a cluster that does not say which nodes there are is a failure', () => {
    writeFileSync(join(dir, 'silent'), '');
    expect(() => run(revert?.({} as never, want, { node1: { zone: 'b' } }))).toThrow(
      expect.objectContaining({ status: 1 }),
    );
  });

  test('nothing is taken back where nobody could say what there was', () => {
    expect(judge?.(output(1, ''), want)).toHaveProperty('seen', {});
    const { script } = revert!({} as never, want, {}) as Script;
    expect(script).not.toContain('kubectl');
    expect(script).toContain('stays');
  });
});

describe('a daemon set that is replaced pod by pod', () => {
  const daemon = { namespace: 'net', name: 'ds', selector: 'app=net' };
  let dir: string;
  beforeEach(() => {
    dir = mkdtempSync(join(tmpdir(), 'kubexm-daemon-'));
    const kubectl = `#!/bin/sh
echo 'an aggregated API does not answer' >&2
case $* in
  *'get daemonset ds'*) cat "${dir}/generations" ;;
  *'get controllerrevisions -l app=net --sort-by=.revision'*) printf 6f9c ;;
  *) echo "$*" >>"${dir}/log" ;;
esac
`;
    writeFileSync(join(dir, 'kubectl'), kubectl, { mode: 0o755 });
  });
  afterEach(() => rmSync(dir, { recursive: true, force: true }));

  const ask = (generations: string) => {
    writeFileSync(join(dir, 'generations'), generations);
    const { run } = daemonRevision(daemon).want as { readonly run: string };
    const { status, stdout, stderr } = spawnSync('sh', ['-c', run], { env: { PATH: `${dir}:${process.env['PATH']}` } });
    return { status, stdout: stdout.toString(), stderr: stderr.toString() };
  };

  test('is asked for its revision once its controller has seen the last change', () => {
    expect(ask('4 4')).toEqual({ status: 0, stdout: '6f9c\n', stderr: '' });
    expect(ask('4 3')).toMatchObject({ status: 1 });
    // Nobody has seen it at all yet.
    expect(ask('1 ')).toMatchObject({ status: 1 });
  });

  test('is ready on a node when the pod there is of that revision', () => {
    const revision = 'as of the first master' as never;
    const { run, env } = daemonReady({ ...daemon, node: 'node1', revision }).want as {
      readonly run: string;
      readonly env: object;
    };
    expect(env).toEqual({ revision });
    execFileSync('sh', ['-c', run], { env: { PATH: `${dir}:${process.env['PATH']}`, revision: '6f9c' } });
    expect(readFileSync(join(dir, 'log'), 'utf8')).toContain(
      'wait pods -l app=net,controller-revision-hash=6f9c --field',
    );
  });
});
