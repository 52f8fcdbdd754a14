import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { register } from './register.ts';

describe('a node that registers', () => {
  let dir: string;
  beforeEach(() => {
    dir = mkdtempSync(join(tmpdir(), 'kubexm-register-'));
    const program = (name: string, text: string) =>
      writeFileSync(join(dir, name), `#!/bin/sh\necho "${name} $*" >>"${dir}/log"\n${text}\n`, { mode: 0o755 });
    program('kubectl', `[ -e "${dir}/said" ] || exit 1; cat "${dir}/said"`);
    program('crictl', 'case $* in *" pods -q") echo one; echo two ;; *one) exit 1 ;; esac');
    program('systemctl', '');
    program('sleep', '');
    writeFileSync(join(dir, 'log'), '');
  });
  afterEach(() => rmSync(dir, { recursive: true, force: true }));

  const places = () => ({ criSocket: '/run/cri.sock', kubeletDir: join(dir, 'kubelet') });
  const use = () =>
    register({ server: 'https://10.0.0.2:6443', node: 'node1', address: '10.0.0.1', places: places() })
      .want as unknown as {
      readonly run: string;
      readonly undo: string;
      readonly traces: readonly string[];
    };
  const run = (script: string) =>
    spawnSync('sh', ['-c', script], { env: { PATH: `${dir}:${process.env['PATH']}` }, encoding: 'utf8' });
  const said = (text: string) => writeFileSync(join(dir, 'said'), text);

  test.each([
    ['a name that nobody has', '', 0],
    ['its own node, of a run before', 'True 10.0.0.1 ', 0],
    ['a node that is gone', 'Unknown 10.0.0.9 ', 0],
    ['another machine that is ready', 'True 10.0.0.9 ', 1],
    ['another machine whose address begins alike', 'True 10.0.0.11 ', 1],
  ])('%s', (_, text, code) => {
    said(text);
    const ended = run(use().run);
    expect(ended.status).toBe(code);
    if (code === 1) expect(ended.stderr).toContain('another machine is the node node1');
  });

  test('a cluster that does not answer is asked again, and is a failure in the end', () => {
    expect(run(use().run).status).toBe(1);
    expect(readFileSync(join(dir, 'log'), 'utf8').match(/^kubectl/gm)).toHaveLength(6);
  });

  test('undone, its pods go, also behind one that cannot be removed, and what a kubelet would stumble over', () => {
    const state = join(dir, 'kubelet', 'cpu_manager_state');
    mkdirSync(join(dir, 'kubelet'));
    writeFileSync(state, '');
    expect(use().traces).toEqual([state]);
    expect(run(use().undo).status).toBe(0);
    expect(existsSync(state)).toBe(false);
    const log = readFileSync(join(dir, 'log'), 'utf8');
    expect(log).toMatch(/^systemctl stop kubelet kube-proxy$/m);
    expect(log).toMatch(/rmp -f one\n.*rmp -f two/);
  });
});
