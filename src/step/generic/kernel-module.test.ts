import { describe, expect, test } from 'vitest';
import { output } from '../../model/host.ts';
import type { Script } from '../../model/script.ts';
import { type KernelModules, kernelModule } from './kernel-module.ts';

const { judge, probe, apply, revert, owns, saves } = kernelModule.definition;
const want: KernelModules = { modules: ['overlay', 'br_netfilter'], optional: ['nf_conntrack_ipv4'] };
const text = (names: string) =>
  `text file file 644 0 0 ${Buffer.from(`# Written by kubexm: modules that the cluster needs.\n${names}`).toString('base64')}\n`;

describe('judge', () => {
  test.each<[string, string, object]>([
    [
      'Debian 12: loaded and noted',
      `module overlay loaded\nmodule br_netfilter loaded\nmodule nf_conntrack_ipv4 missing\n${text('overlay\nbr_netfilter\n')}`,
      { verdict: 'satisfied', output: { loaded: ['overlay', 'br_netfilter'], missing: ['nf_conntrack_ipv4'] } },
    ],
    [
      'a kernel with all of it built in',
      `module overlay built-in\nmodule br_netfilter built-in\nmodule nf_conntrack_ipv4 built-in\n${text('overlay\nbr_netfilter\nnf_conntrack_ipv4\n')}`,
      { verdict: 'satisfied' },
    ],
    [
      'CentOS 7: the old name is there, nothing is loaded',
      'module overlay loadable overlay\nmodule br_netfilter loadable llc stp bridge br_netfilter\nmodule nf_conntrack_ipv4 loadable nf_conntrack nf_defrag_ipv4 nf_conntrack_ipv4\ntext file absent\n',
      {
        verdict: 'needed',
        seen: {
          file: { file: { type: 'absent' }, made: [] },
          fresh: [
            'overlay',
            'llc',
            'stp',
            'bridge',
            'br_netfilter',
            'nf_conntrack',
            'nf_defrag_ipv4',
            'nf_conntrack_ipv4',
          ],
        },
        diff: [
          { what: 'kernel module overlay', from: 'not loaded', to: 'loaded' },
          { what: 'kernel module br_netfilter', from: 'not loaded', to: 'loaded' },
          { what: 'kernel module nf_conntrack_ipv4', from: 'not loaded', to: 'loaded' },
          { what: '/etc/modules-load.d/kubexm.conf (new)' },
        ],
      },
    ],
    [
      'hardened: a needed one is disabled',
      `module overlay disabled\nmodule br_netfilter loaded\nmodule nf_conntrack_ipv4 disabled\n${text('overlay\nbr_netfilter\n')}`,
      { verdict: 'needed', diff: [{ what: 'kernel module overlay', from: 'disabled', to: 'loaded' }] },
    ],
    [
      'a missing directory is made and goes again',
      'module overlay loaded\nmodule br_netfilter loaded\nmodule nf_conntrack_ipv4 loaded\ntext file absent\nmissing /etc/modules-load.d\n',
      { verdict: 'needed', seen: { file: { made: ['/etc/modules-load.d'] }, fresh: [] } },
    ],
    ['no answer at all', '', { verdict: 'needed' }],
  ])('%s', (_name, answer, verdict) => {
    expect(judge!(output(0, answer), want)).toMatchObject(verdict);
  });
});

test.each([
  [{ modules: ['a b'] }],
  [{ modules: ['../x'] }],
  [{ modules: ['-r'] }],
  [{ modules: ['overlay'], file: '../x.conf' }],
  [{ modules: ['overlay'], file: 'x' }],
])('refuses %j', (bad) => {
  expect(() => probe!(bad)).toThrow(/is no/);
  expect(() => apply(undefined as never, bad, undefined as never)).toThrow(/is no/);
});

test('unloads in the other direction, and only what it had loaded', () => {
  const before = {
    file: { file: { type: 'absent' as const }, made: ['/etc/modules-load.d'] },
    fresh: ['bridge', 'br_netfilter'],
  };
  const { script } = revert!(undefined as never, want, before) as Script;
  expect(script.match(/^kxo_unload \S+/gm)).toEqual(['kxo_unload br_netfilter', 'kxo_unload bridge']);
  expect(script).toContain('rmdir -- /etc/modules-load.d');
});

test('says what it owns and writes', () => {
  expect(owns!(want)).toEqual(['module:overlay', 'module:br_netfilter', 'module:nf_conntrack_ipv4']);
  expect(saves!(want)).toEqual(['/etc/modules-load.d/kubexm.conf']);
});
