import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { runSmall } from '../../../test/rig/starter.ts';
import { output } from '../../model/host.ts';
import { onceCommand } from './once-command.ts';

const { judge, probe, apply, revert } = onceCommand.definition;
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

  test('undoes only what has begun: what it was refused for is somebody else’s', async () => {
    const state = await mkdtemp(join(tmpdir(), 'kx-once-'));
    const { script } = revert!({} as never, { ...want, undo: 'echo undone' }, { traces: [] }) as { script: string };
    const undo = async (before: string) =>
      (await runSmall(`KX_STATE=${state}; export KX_STATE\n${before}\n${script}`)).stdout.toString();
    try {
      expect(await undo(':')).toBe('');
      const begun = `mkdir "$KX_STATE/once" && echo begun >"$KX_STATE/once/kubeadm"`;
      expect(await undo(begun)).toBe('undone\n');
      expect(await undo(':')).toBe('');
    } finally {
      await rm(state, { recursive: true, force: true });
    }
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
