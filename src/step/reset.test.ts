import { describe, expect, test } from 'vitest';
import { kubexmError } from '../model/errors/index.ts';
import { output } from '../model/host.ts';
import type { ManifestEntry } from '../model/manifest.ts';
import { LEFT_CODE } from '../model/report.ts';
import type { Script } from '../model/script.ts';
import { resetSteps, tellings, unitsOf } from './reset.ts';

const entry: ManifestEntry = {
  seq: '000007',
  node: 'etcd/install/unit',
  run: 'r1',
  at: '2025-01-01T00:00:00.000Z',
  kind: 'file',
  title: 'file /etc/x',
  names: [],
  effects: [],
  paths: [
    { path: '/etc/x', existed: true },
    { path: '/etc/y', existed: false },
  ],
};
const stepOf = (more: Partial<ManifestEntry> = {}) => resetSteps([]).undo({ ...entry, ...more });

test('an entry that is gone is undone; else the fate of each part is reported', () => {
  const { step, want } = stepOf({ names: ['service:x'], effects: [{ type: 'links', prefix: 'cni' }] });
  expect(step.probe?.(want).script).toBe('kx_reset_look 000007');
  expect(step.judge?.(output(0), want)).toMatchObject({ verdict: 'satisfied' });
  expect(step.judge?.(output(0, 'there\nchanged /etc/y\n'), want)).toMatchObject({
    verdict: 'needed',
    diff: [
      { what: '/etc/x', to: 'as it was before' },
      { what: '/etc/y', from: 'changed by somebody else: kept beside', to: 'removed' },
      { what: 'service:x', to: 'as it was before' },
      { what: 'links cni', to: 'removed if it is new' },
    ],
  });
  expect(step.judge?.(output(1, '', 'broken'), want)).toMatchObject({ verdict: 'needed' });
});

test('files are put back by one script; what cannot be undone is reported', () => {
  const { step, want } = stepOf();
  expect(step.apply({} as never, want, {} as never)).toEqual({
    script: `kx_reset_keep 000007 || exit
kx_reset_effects 000007 && kx_reset_paths 000007 || exit
kx_reset_drop 000007`,
  });
  const final = stepOf({
    kind: 'checkedCommand',
    want: {},
    irreversible: 'no rollback command is given',
    title: 'run x',
  });
  expect(final.step.apply({} as never, final.want, {} as never)).toMatchObject({
    script: expect.stringContaining(
      "kx_reset_left 'run x stays: no rollback command is given' || exit\nkx_reset_drop 000007",
    ),
  });
});

test('systemd reloads only units whose files were changed', async () => {
  const paths = [
    '/etc/systemd/system/kubelet.service',
    '/etc/systemd/system/kubelet.service.d/10-kubeadm.conf',
    '/etc/systemd/system/multi-user.target.wants/etcd.service',
    '/usr/local/lib/systemd/system/a.timer',
    '/etc/systemd/system.conf',
    '/etc/x',
  ].map((path) => ({ path, existed: false }));
  const units = unitsOf([entry, { ...entry, paths }]);
  expect(units).toEqual(['a.timer', 'etcd.service', 'kubelet.service']);
  for (const [of, end] of [
    [units, 'kx_reset_end u1 a.timer etcd.service kubelet.service'],
    [[], 'kx_reset_end u1'],
  ] as const) {
    const asked: string[] = [];
    const run = async (script: Script) => {
      asked.push(script.script);
      return output(0, '--\n');
    };
    const host = { name: 'h', run };
    const { step, want } = resetSteps([]).forget({ uid: 'u1', units: of });
    await step.apply(host as never, want, { say: () => undefined } as never);
    expect(asked.at(-1)?.trim()).toBe(end);
  }
});

test('a kind that nobody knows is an error that says so', async () => {
  const { step, want } = stepOf({ kind: 'fromAPlugin', want: { a: 1 } });
  await expect(step.apply({} as never, want, {} as never)).rejects.toMatchObject({
    code: 'KX8104',
    params: { node: 'etcd/install/unit', kind: 'fromAPlugin' },
  });
});

test('a step that reverts by itself does so between keeping and putting back, and what it leaves alone is reported', async () => {
  const sent: string[] = [];
  const answers: Record<string, ReturnType<typeof output>> = {};
  const host = {
    run: async ({ script }: { readonly script: string }) => {
      sent.push(script);
      return answers[script] ?? output(0);
    },
  } as never;
  const reverting = { kind: 'reverting', revert: () => ({ script: 'revert it' }) } as never;
  const { step, want } = resetSteps([reverting]).undo({ ...entry, kind: 'reverting', want: { a: 1 }, before: 2 });
  const keep = 'kx_reset_keep 000007 || exit';
  const rest = 'kx_reset_effects 000007 && kx_reset_paths 000007 || exit';
  await step.apply(host, want, {} as never);
  expect(sent.splice(0)).toEqual([keep, 'revert it', `${rest}\nkx_reset_drop 000007`]);
  await step.apply(host, { ...(want as object), whole: true }, {} as never);
  expect(sent.splice(0)[1]).toBe('export KX_WHOLE=yes\nrevert it');
  const left = [{ type: 'left', text: '/d is not ours' }] as const;
  answers['revert it'] = { ...output(LEFT_CODE), reports: left };
  await step.apply(host, want, {} as never);
  expect(sent.splice(0)[2]).toBe(`${rest}\nkx_reset_left '/d is not ours' || exit\nkx_reset_drop 000007`);
  // Neither a word of what it printed nor a report makes a success of another failure.
  const failures = [
    output(1, '', '/d stays: not ours\n'),
    { ...output(1, '', 'no'), reports: left },
    output(LEFT_CODE),
  ];
  for (const failure of failures) {
    answers['revert it'] = failure;
    await expect(step.apply(host, want, {} as never)).rejects.toMatchObject({ code: 'KX8105' });
    expect(sent.splice(0)).toEqual([keep, 'revert it']);
  }
  answers['revert it'] = output(1, '', 'dpkg was interrupted\n');
  await expect(step.apply(host, want, {} as never)).rejects.toMatchObject({
    code: 'KX8105',
    params: { reason: 'dpkg was interrupted' },
  });
  expect(sent.splice(0)).toEqual([keep, 'revert it']);
  const masked = { kind: 'masked', revert: () => ({ script: 'leave --token ••••••' }) } as never;
  const secret = resetSteps([masked]).undo({ ...entry, kind: 'masked', want: { token: '••••••' } });
  await secret.step.apply(host, secret.want, {} as never);
  expect(sent[1]).toMatch(/^kx_reset_effects .*\nkx_reset_left 'file \/etc\/x stays: undoing it needs a secret/);
});

test('what was kept and what stays is reported once', () => {
  expect(tellings('--\n')).toEqual([]);
  expect(tellings('/a\n/a.kept\n/a\n/a.kept\n--\n/d stays: not ours\n')).toEqual([
    '/a was changed by somebody else: kept as /a.kept',
    '/d stays: not ours',
  ]);
});

describe('with --leave', () => {
  const io = { signal: new AbortController().signal } as never;
  const reverting = (work: () => unknown) => ({ kind: 'reverting', revert: work }) as never;
  /** A host where scripts that match fail. */
  const hostOf = (sent: string[], failing: RegExp, said = 'it is broken') =>
    ({
      run: async ({ script }: { readonly script: string }) => {
        sent.push(script);
        return failing.test(script) ? output(1, '', `first\n${said}\n`) : output(0);
      },
    }) as never;
  const undoOf = (steps: readonly never[], more: Partial<ManifestEntry> = {}) =>
    resetSteps(steps).undo({ ...entry, want: { a: 1 }, before: 2, kind: 'reverting', leave: true, ...more });
  const all = [/^kx_reset_keep/, /^revert it/, /^kx_reset_effects 000007/, /^kx_reset_paths 000007 leave$/, /^kx_/];

  test.each<[string, RegExp, readonly RegExp[], string | undefined]>([
    ['nothing is left where nothing fails', /never/, all, undefined],
    ['the revert', /^revert/, all, 'it is broken'],
    ['effects', /^kx_reset_effects/, all, 'it is broken'],
    // What others did could not be kept: then nothing is put in its place.
    ['keeping', /^kx_reset_keep/, [/^kx_reset_keep/, /^kx_/], 'it is broken'],
  ])('what fails is left, and all else is undone: %s', async (_name, failing, scripts, reason) => {
    const sent: string[] = [];
    const { step, want } = undoOf([reverting(() => ({ script: 'revert it' }))]);
    await step.apply(hostOf(sent, failing), want, io);
    expect(sent).toHaveLength(scripts.length);
    for (const [i, script] of sent.entries()) expect(script).toMatch(scripts[i]!);
    const left = reason === undefined ? '' : `kx_reset_left 'file /etc/x stays: ${reason}' || exit\n`;
    expect(sent.at(-1)).toBe(`${left}kx_reset_drop 000007`);
  });

  test('a kind that nobody knows, and a revert that throws', async () => {
    const sent: string[] = [];
    const unknown = undoOf([]);
    await unknown.step.apply(hostOf(sent, /never/), unknown.want, io);
    expect(sent.splice(0).at(-1)).toContain('file /etc/x stays: ');
    const throwing = undoOf([reverting(() => Promise.reject(new Error('no such thing')))]);
    await throwing.step.apply(hostOf(sent, /never/), throwing.want, io);
    expect(sent.at(-1)).toContain("'file /etc/x stays: no such thing'");
  });

  test('a machine that cannot be reached is no reason to leave anything', async () => {
    const lost = kubexmError('KX3012', { host: 'node1', seconds: 60, reason: 'no answer' });
    const sent: string[] = [];
    const { step, want } = undoOf([reverting(() => Promise.reject(lost))]);
    await expect(step.apply(hostOf(sent, /never/), want, io)).rejects.toBe(lost);
    expect(sent.join('\n')).not.toContain('kx_reset_drop');
  });
});
