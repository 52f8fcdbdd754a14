import { describe, expect, test } from 'vitest';
import { lookAtStaleUnits, parseStaleUnits, parseUnit } from '../../host/os/service.ts';
import { output } from '../../model/host.ts';
import { type Service, service, unitName } from './service.ts';

const { judge, probe, owns } = service.definition;

/** As systemd 252 shows a service that runs. */
const RUNNING = {
  Type: 'notify',
  MainPID: '812',
  NRestarts: '0',
  Result: 'success',
  ExecMainStatus: '0',
  LoadState: 'loaded',
  ActiveState: 'active',
  SubState: 'running',
  FragmentPath: '/etc/systemd/system/etcd.service',
  DropInPaths: '',
  UnitFileState: 'enabled',
  NeedDaemonReload: 'no',
  CanReload: 'no',
  ActiveEnterTimestampMonotonic: '5300000',
  InvocationID: 'f3b7c1f0c1a94c5bb6a4d0f1a6f3a9c1',
  KxFresh: 'yes',
  KxRecord: '',
};
const shown = (more: Partial<typeof RUNNING> = {}) =>
  output(
    0,
    Object.entries({ ...RUNNING, ...more })
      .map(([key, value]) => `${key}=${value}\n`)
      .join(''),
  );
const GONE = { LoadState: 'not-found', ActiveState: 'inactive', SubState: 'dead', UnitFileState: '', FragmentPath: '' };
const STOPPED = { ActiveState: 'inactive', SubState: 'dead', UnitFileState: 'disabled' };

describe('judge', () => {
  test.each<[string, Partial<Service>, Partial<typeof RUNNING>]>([
    ['runs', { running: 'started', enabled: true, fingerprint: 'a' }, {}],
    ['is reloading', { running: 'started' }, { ActiveState: 'reloading' }],
    ['is not asked about boot', { running: 'started' }, { UnitFileState: 'disabled' }],
    ['is an init script', { enabled: true }, { UnitFileState: 'generated' }],
    ['is stopped', { running: 'stopped', enabled: false }, STOPPED],
    ['has failed, and is to be stopped', { running: 'stopped' }, { ActiveState: 'failed', SubState: 'failed' }],
    ['is not there, and is to be stopped', { running: 'stopped', enabled: false }, GONE],
    ['is masked', { masked: true, enabled: false }, { ...STOPPED, UnitFileState: 'masked' }],
    ['cannot be enabled, and is to be disabled', { enabled: false }, { UnitFileState: 'static' }],
    [
      'comes and goes, and may',
      { running: 'started', settleSeconds: 0 },
      { ActiveState: 'activating', SubState: 'auto-restart' },
    ],
  ])('satisfied: it %s', (_name, want, seen) => {
    expect(judge!(shown(seen), { unit: 'etcd', ...want })).toEqual({ verdict: 'satisfied', output: undefined });
  });

  test.each<[string, Partial<Service>, Partial<typeof RUNNING>, object, object[]]>([
    [
      'is not there',
      { running: 'started', enabled: true },
      GONE,
      { active: false, file: '', record: '' },
      [
        { what: 'at boot', from: 'no unit', to: 'enabled' },
        { what: 'state', from: 'no unit', to: 'active' },
      ],
    ],
    [
      'is stopped and disabled',
      { running: 'started', enabled: true },
      STOPPED,
      { active: false, file: 'disabled', record: '' },
      [
        { what: 'at boot', from: 'disabled', to: 'enabled' },
        { what: 'state', from: 'inactive (dead)', to: 'active' },
      ],
    ],
    [
      'has other files',
      { running: 'started', fingerprint: 'b' },
      { KxFresh: 'no', KxRecord: 'aa f3b7' },
      { active: true, file: 'enabled', record: 'aa f3b7' },
      [{ what: 'process', from: 'started with other files', to: 'restarted' }],
    ],
    [
      'has other files and can reload',
      { running: 'started', fingerprint: 'b', reload: true },
      { KxFresh: 'no' },
      { active: true, file: 'enabled', record: '' },
      [{ what: 'process', from: 'started with other files', to: 'reloaded' }],
    ],
    [
      'has a changed unit file',
      { running: 'started' },
      { NeedDaemonReload: 'yes' },
      { active: true, file: 'enabled', record: '' },
      [{ what: 'unit file', from: 'changed on disk', to: 'read by systemd' }],
    ],
    [
      'dies again and again',
      { running: 'started' },
      { ActiveState: 'activating', SubState: 'auto-restart' },
      { active: false, file: 'enabled', record: '' },
      [{ what: 'state', from: 'activating (auto-restart)', to: 'active' }],
    ],
    [
      'runs and must not',
      { running: 'stopped', enabled: false, masked: true },
      {},
      { active: true, file: 'enabled', record: '' },
      [
        { what: 'masked', from: 'no', to: 'yes' },
        { what: 'at boot', from: 'enabled', to: 'disabled' },
        { what: 'state', from: 'active (running)', to: 'inactive' },
      ],
    ],
    [
      'is enabled until the next boot only',
      { enabled: true },
      { UnitFileState: 'enabled-runtime' },
      { active: true, file: 'enabled-runtime', record: '' },
      [{ what: 'at boot', from: 'enabled-runtime', to: 'enabled' }],
    ],
    [
      'is masked and must not be',
      { masked: false },
      { UnitFileState: 'masked', ActiveState: 'inactive', SubState: 'dead' },
      { active: false, file: 'masked', record: '' },
      [{ what: 'masked', from: 'yes', to: 'no' }],
    ],
  ])('needed: it %s', (_name, want, seen, before, diff) => {
    expect(judge!(shown(seen), { unit: 'etcd', ...want })).toEqual({ verdict: 'needed', seen: before, diff });
  });

  test('a machine without systemd', () => {
    expect(judge!(output(0, 'KxInit=none\n'), { unit: 'etcd', running: 'started' })).toMatchObject({
      verdict: 'needed',
      diff: [{ what: 'etcd.service', from: 'no systemd on this machine' }],
    });
  });

  test('an old systemd knows neither invocations nor restarts', () => {
    const old = output(
      0,
      'LoadState=loaded\nActiveState=active\nSubState=running\nUnitFileState=enabled\nKxFresh=yes\nKxRecord=\n',
    );
    expect(parseUnit(old)).toMatchObject({ systemd: true, known: true, active: 'active', stale: false, fresh: true });
  });
});

test.each([
  ['etcd', 'etcd.service'],
  ['kubelet.service', 'kubelet.service'],
  ['apt-daily.timer', 'apt-daily.timer'],
  ['getty@tty1', 'getty@tty1.service'],
  ['node.v2', 'node.v2.service'],
])('the unit %s is %s', (given, full) => {
  expect(unitName(given)).toBe(full);
});

test.each(['', '-x', '../etc', 'a b', 'a/b', '$(id)', '.hidden'])('%j is no unit', (name) => {
  expect(() => unitName(name)).toThrow('is no name of a unit');
});

test('what makes no sense is refused when it is planned', () => {
  expect(() => probe!({ unit: 'a', running: 'started', reload: true })).toThrow('needs a fingerprint');
  expect(() => probe!({ unit: 'a', running: 'started', masked: true })).toThrow('started and masked');
  expect(() => probe!({ unit: 'a', running: 'started', reads: ['etc'] })).toThrow('not absolute');
});

test('equal fingerprints are equal however they are written, and reach the host as one word', () => {
  const text = (fingerprint: Service['fingerprint']): string =>
    probe!({ unit: 'a', running: 'started', ...(fingerprint === undefined ? {} : { fingerprint }) }).script;
  expect(text({ a: 1, b: "x'y" })).toBe(text({ b: "x'y", a: 1 }));
  expect(text({ a: 1 })).not.toBe(text({ a: 2 }));
  expect(text({ a: 1 })).toMatch(/\nkxs_show a.service [0-9a-f]{64} $/);
  expect(owns!({ unit: 'a' })).toEqual(['service:a.service']);
});

test.each([
  ['stale a.service\nstale b.service\n', 0, ['a.service', 'b.service']],
  ['', 0, []],
  ['none\n', 0, undefined],
])('units to be read again: %j', (stdout, code, units) => {
  expect(parseStaleUnits(output(code, stdout))).toEqual(units);
  expect(lookAtStaleUnits([]).script).toContain("'*'");
});
