import { expect, test } from 'vitest';
import { recipe } from './recipe.ts';

const source = {
  uri: 'http://mirror.example/debian',
  suites: ['bookworm'],
  components: ['main'],
  trusted: false,
  enabled: true,
};

test('the image is bare: nothing that preparing a node installs', () => {
  const include = recipe('debian-12', [source]).args.find((arg) => arg.startsWith('--include='))!;
  const packages = include.slice('--include='.length).split(',');
  expect(packages).toContain('openssh-server');
  const absent = [
    'containerd',
    'runc',
    'socat',
    'conntrack',
    'chrony',
    'ipset',
    'ebtables',
    'iptables',
    'nftables',
    'curl',
  ];
  expect(packages.filter((name) => absent.includes(name))).toEqual([]);
});

test('its digest changes with the release and the sources', () => {
  const one = recipe('debian-12', [source]).digest;
  expect(recipe('debian-13', [source]).digest).not.toBe(one);
  expect(recipe('debian-12', [{ ...source, uri: 'http://other.example/debian' }]).digest).not.toBe(one);
});
