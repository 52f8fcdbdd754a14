import { describe, expect, test } from 'vitest';
import { compareEntries, compareStates } from './compare.ts';
import type { CollectedState, Entries, Facet, StateSection } from './types.ts';
import { SECTIONS } from './types.ts';

const entries = (record: Record<string, Facet>): Entries => new Map(Object.entries(record));

function state(
  more: Partial<Record<StateSection, Record<string, Facet>>>,
  unseen: StateSection[] = [],
): CollectedState {
  const seen = SECTIONS.filter((section) => section !== 'file' && !unseen.includes(section)) as StateSection[];
  return {
    sections: new Map(seen.map((section) => [section, entries(more[section] ?? {})])),
    unseen: unseen.map((section) => ({ section, reason: `no ${section}` })),
  };
}

test.each<[string, Record<string, Facet>, Record<string, Facet>, unknown[]]>([
  ['the same', { a: { x: '1' } }, { a: { x: '1' } }, []],
  ['added', {}, { a: { x: '1' } }, [{ key: 'a', change: 'added', after: { x: '1' } }]],
  ['removed', { a: { x: '1' } }, {}, [{ key: 'a', change: 'removed', before: { x: '1' } }]],
  [
    'only differences are reported',
    { a: { x: '1', y: '2' } },
    { a: { x: '1', y: '3' } },
    [{ key: 'a', change: 'changed', before: { y: '2' }, after: { y: '3' } }],
  ],
  [
    'a property that came',
    { a: { x: '1' } },
    { a: { x: '1', z: '' } },
    [{ key: 'a', change: 'changed', before: {}, after: { z: '' } }],
  ],
])('%s', (_, before, after, found) => {
  expect(compareEntries('unit', entries(before), entries(after))).toEqual(
    found.map((one) => ({ section: 'unit', ...(one as object) })),
  );
});

describe('two states', () => {
  test('come in the order of the sections', () => {
    const after = state({ swap: { '/swap': {} }, package: { chrony: {} }, link: { cni0: {} } });
    const { differences } = compareStates(state({}), after);
    expect(differences.map(({ section, key }) => `${section} ${key}`)).toEqual([
      'package chrony',
      'link cni0',
      'swap /swap',
    ]);
  });

  test('a section that one of them could not see is not compared, and said', () => {
    const before = state({ nftables: { 'ip nat': {} } });
    const after = state({}, ['nftables']);
    expect(compareStates(before, after)).toEqual({
      differences: [],
      unseen: [{ section: 'nftables', reason: 'no nftables' }],
    });
    expect(compareStates(after, before).unseen).toHaveLength(1);
  });

  test('a section that is missing altogether is unseen, too', () => {
    const { sections } = state({});
    const without = { sections: new Map([...sections].filter(([name]) => name !== 'port')), unseen: [] };
    expect(compareStates(state({}), without).unseen.map(({ section }) => section)).toEqual(['port']);
  });

  test('settings of a link that came or went are the link, those of a link that stayed are their own', () => {
    const before = state({
      link: { eth0: {} },
      sysctl: { 'net/ipv4/conf/eth0/rp_filter': { value: '0' }, 'net/ipv4/ip_forward': { value: '0' } },
    });
    const after = state({
      link: { eth0: {}, 'flannel.1': {} },
      sysctl: {
        'net/ipv4/conf/eth0/rp_filter': { value: '2' },
        'net/ipv4/conf/flannel.1/rp_filter': { value: '2' },
        'net/ipv6/neigh/flannel.1/mcast_solicit': { value: '3' },
        'net/ipv4/conf/all/rp_filter': { value: '1' },
        'net/ipv4/ip_forward': { value: '1' },
      },
    });
    expect(compareStates(before, after).differences.map(({ key }) => key)).toEqual([
      'flannel.1',
      'net/ipv4/conf/all/rp_filter',
      'net/ipv4/conf/eth0/rp_filter',
      'net/ipv4/ip_forward',
    ]);
  });
});
