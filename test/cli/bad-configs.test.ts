import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { type Case, plus } from '../configs/cases.ts';
import { componentRuleCases } from '../configs/component-rule-cases.ts';
import { hostRuleCases } from '../configs/host-rule-cases.ts';
import { shapeCases } from '../configs/shape-cases.ts';
import { syntaxCases } from '../configs/syntax-cases.ts';
import { some } from '../rig/thorough.ts';
import { call, tempDir } from './rig/cli.ts';

// What no file can hold cannot come from one.
const all: readonly Case[] = [...syntaxCases, ...shapeCases, ...hostRuleCases, ...componentRuleCases].filter(
  ({ text }) => Buffer.from(text).toString() === text,
);

test.each(some(all, 12).map((one) => [one.code, one.name, one] as const))(
  'a run with a bad configuration writes nothing: %s, %s',
  async (code, _name, { text }) => {
    const dir = tempDir();
    const file = join(dir, 'cluster.yaml');
    writeFileSync(file, text);
    const args = ['run', 'command', '-f', file, '--nodes', 'all', '--', 'true'];
    const ended = await call(args, { cwd: dir, env: { HOME: dir } });
    expect(ended).toMatchObject({ code: 3, stdout: '' });
    expect(ended.stderr).toContain(code);
    expect(ended.stderr).not.toMatch(/^\s+at /m);
    expect(readdirSync(dir)).toEqual(['cluster.yaml']);
  },
);

test('create cluster reports what it does not support at once, with what to write, before it connects', async () => {
  const dir = tempDir();
  const file = join(dir, 'cluster.yaml');
  writeFileSync(
    file,
    plus(
      'network: {plugin: cilium}\ndns: {nodelocaldns: {enabled: true}}\n',
      ['  etcd:\n    type: kubeadm\n', ''],
      ['    master:', '    etcd: [node1]\n    master:'],
    ),
  );
  const ended = await call(['create', 'cluster', '-f', file, '--yes'], { cwd: dir, env: { HOME: dir } });
  expect(ended).toMatchObject({ code: 3, stdout: '' });
  expect(ended.stderr).toContain('Write spec.network.plugin: flannel into the file');
  expect(ended.stderr).toContain('Write spec.dns.nodelocaldns.enabled: false into the file');
  expect(ended.stderr).not.toContain('Remove the field');
  expect(readdirSync(dir)).toEqual(['cluster.yaml']);
});
