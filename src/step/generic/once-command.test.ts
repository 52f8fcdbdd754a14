import { describe, expect, test } from 'vitest';
import { output } from '../../model/host.ts';
import { onceCommand } from './once-command.ts';

const { judge, probe, apply } = onceCommand.definition;
const want = {
  name: 'kubeadm',
  purpose: 'kubeadm init',
  run: ['kubeadm', 'init'],
  undo: ['kubeadm', 'reset'],
  traces: ['/etc/kubernetes/kubelet.conf'],
};

describe('a command that runs once', () => {
  test.each([
    ['none\n', 'needed'],
    ['none\n/etc/kubernetes/kubelet.conf\n', 'needed'],
    ['begun\n', 'half'],
    ['begun\n/etc/kubernetes/kubelet.conf\n', 'half'],
    ['done\n/etc/kubernetes/kubelet.conf\n', 'satisfied'],
  ])('%j is %s', (stdout, verdict) => {
    expect(judge?.(output(0, stdout), want).verdict).toBe(verdict);
  });

  test('refuses what somebody else has made, before it notes anything', () => {
    const { script } = apply({} as never, want, {} as never) as { script: string };
    expect(script.indexOf('kubexm has not made it')).toBeLessThan(script.indexOf('begun'));
  });

  test('a secret of its file is in no word of a command', () => {
    const secret = 'abcdef.0123456789abcdef';
    const { script } = apply({} as never, { ...want, config: { yaml: { token: secret } } }, {} as never) as {
      script: string;
    };
    expect(script).not.toContain(secret);
    expect(script).toContain("trap 'rm -f");
  });

  test('a name that is a path is refused', () => {
    expect(() => probe?.({ ...want, name: '../x' })).toThrow();
  });
});
