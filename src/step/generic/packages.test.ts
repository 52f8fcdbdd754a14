import { describe, expect, test } from 'vitest';
import { output } from '../../model/host.ts';
import { type Packages, packages } from './packages.ts';

const { judge, probe, title, owns } = packages.definition;

const DEBIAN = `manager apt
noted 0
package installed socat 1.7.4.4-2
package config-files ntp 1:4.2.8p15+dfsg-1
package installed kubelet 1.33.4-1.1
package half-installed ipset 7.17-1
`;
const ROCKY = `manager dnf
noted 3
package installed socat 0:1.7.4.1-5.el9_4.2
package ntp is not installed
package installed kubelet 0:1.33.4-150500.1.1
package ipset is not installed
`;

describe.each([
  ['Debian', DEBIAN, 0, '1.33.4-1.1'],
  ['Rocky', ROCKY, 3, '0:1.33.4-150500.1.1'],
])('judge on %s', (_name, stdout, since, kubelet) => {
  test.each<[string, Packages]>([
    ['any version', { install: ['socat'] }],
    ['the version without its revision', { install: [{ name: 'kubelet', version: '1.33.4' }] }],
    ['the very version', { install: [{ name: 'kubelet', version: kubelet }] }],
    ['what is not there', { remove: ['ntp'] }],
  ])('satisfied: %s', (_what, want) => {
    expect(judge!(output(0, stdout), want)).toMatchObject({ verdict: 'satisfied' });
  });

  test.each<[string, Packages, object[]]>([
    ['missing', { install: ['ntp', 'socat'] }, [{ what: 'package ntp', to: 'installed' }]],
    [
      'another version',
      { install: [{ name: 'kubelet', version: '1.34.0' }] },
      [{ what: 'package kubelet', from: kubelet, to: '1.34.0' }],
    ],
    ['to go', { remove: ['kubelet'] }, [{ what: 'package kubelet', from: kubelet }]],
    ['missing in a version', { install: [{ name: 'ntp', version: '1' }] }, [{ what: 'package ntp', to: '1' }]],
  ])('needed: %s', (_what, want, diff) => {
    expect(judge!(output(0, stdout), want)).toEqual({ verdict: 'needed', seen: { since }, diff });
  });
});

test('what a killed package manager has left is begun, not installed', () => {
  expect(judge!(output(0, DEBIAN), { install: ['ipset'] })).toMatchObject({
    diff: [{ what: 'package ipset', from: 'half installed', to: 'installed' }],
  });
  expect(judge!(output(0, DEBIAN), { remove: ['ipset'] })).toMatchObject({
    diff: [{ what: 'package ipset', from: 'half installed' }],
  });
});

test('the versions are the value', () => {
  expect(judge!(output(0, DEBIAN), { install: ['socat', 'kubelet'], remove: ['ntp'] })).toEqual({
    verdict: 'satisfied',
    output: { socat: '1.7.4.4-2', kubelet: '1.33.4-1.1' },
  });
});

test.each<[string, Packages]>([
  ['no packages are named', {}],
  ['is no name of a package', { install: ['--force-yes'] }],
  ['is no name of a package', { remove: ['a b'] }],
  ['is no version of a package', { install: [{ name: 'a', version: '1 || reboot' }] }],
  ['is named twice', { install: ['a'], remove: ['a'] }],
])('refused when it is planned: %s', (message, want) => {
  expect(() => probe!(want)).toThrow(message);
});

test('its notes are the same for every version of the same packages', () => {
  const place = (want: Packages): string | undefined => /packages\/\S+/.exec(probe!(want).script)?.[0];
  expect(place({ install: ['b', { name: 'a', version: '1' }] })).toBe(
    place({ install: ['a', { name: 'b', version: '2' }] }),
  );
  expect(place({ install: ['a'] })).not.toBe(place({ install: ['a', 'b'] }));
});

test('title and names', () => {
  expect(title({ install: ['a', 'b', 'c', { name: 'd' }, 'e'], remove: ['f'] })).toBe('packages a b c d and 2 more');
  expect(owns!({ install: ['a'], remove: ['b'] })).toEqual(['package:a', 'package:b']);
});
