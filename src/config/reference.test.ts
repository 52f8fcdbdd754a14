import { describe, expect, test } from 'vitest';
import { describeSchema } from './describe.ts';
import { exampleConfig } from './example.ts';
import { clusterJsonSchema } from './json-schema.ts';
import { loadConfig } from './load.ts';

type Node = {
  readonly [key: string]: unknown;
  readonly properties?: Readonly<Record<string, Node>>;
  readonly anyOf?: readonly Node[];
};

describe('the reference', () => {
  const fields = describeSchema();
  const field = (path: string) => fields.find((one) => one.path === path);

  test('every field has a description and a type', () => {
    expect(fields.length).toBeGreaterThan(150);
    for (const one of fields) {
      expect(one.description, one.path).toMatch(/^[A-Z"a-z].*[.\])]$|[:=]/s);
      expect(one.type, one.path).not.toBe('any');
    }
    expect(new Set(fields.map((one) => one.path)).size).toBe(fields.length);
  });

  test('defaults, secrets and other spellings', () => {
    expect(field('spec.etcd.heartbeatInterval')).toMatchObject({ type: 'integer', default: '250', required: false });
    expect(field('spec.kubernetes.proxyMode')).toMatchObject({
      type: 'auto | ipvs | iptables | nftables',
      default: '"auto"',
    });
    expect(field('spec.kubernetes.version')).toMatchObject({ required: true, default: undefined });
    expect(field('spec.hosts[].password')).toMatchObject({ type: 'secret', secret: true });
    expect(field('spec.controlPlaneEndpoint.lb_address')?.aliases).toEqual([
      'lbAddress',
      'address',
      'vip',
      'spec.loadBalancer.vip',
    ]);
    expect(field('spec.registry.auths.<name>.username')).toMatchObject({ type: 'text' });
    expect(field('spec.network.kubePodsCIDR')?.default).toBe('"10.233.64.0/18"');
    expect(field('spec.addons')?.type).toBe('list of mapping');
  });
});

describe('the JSON Schema', () => {
  const schema = clusterJsonSchema() as Node;
  const inside = (node: Node | undefined): Node | undefined =>
    node?.properties ? node : node?.anyOf?.find((one) => one.properties);
  const at = (...path: readonly string[]): Node | undefined =>
    path.reduce<Node | undefined>((node, key) => inside(node)?.properties?.[key], schema);

  test('knows every field of the reference, with its description', () => {
    for (const one of describeSchema()) {
      if (/\[\]|</.test(one.path)) continue;
      expect(at(...one.path.split('.'))?.['description'], one.path).toBe(one.description);
    }
  });

  test('has defaults, ranges and choices', () => {
    expect(at('spec', 'etcd', 'heartbeatInterval')).toMatchObject({ type: 'integer', default: 250, minimum: 1 });
    expect(at('spec', 'network', 'plugin')).toMatchObject({
      default: 'flannel',
      enum: ['calico', 'flannel', 'cilium'],
    });
    expect(at('spec', 'kubernetes')?.['required']).toEqual(['version']);
    expect(schema['additionalProperties']).toBe(false);
    expect(at('spec', 'ssh', 'password')).toMatchObject({ type: 'string', writeOnly: true });
  });

  test('accepts other spellings and short forms', () => {
    expect(at('spec', 'roleGroups', 'control-plane')).toMatchObject({ type: 'array', deprecated: true });
    expect(at('spec', 'controlPlaneEndpoint', 'internalLoadBalancer')?.['enum']).toContain('kube-vip');
    expect(at('spec', 'loadBalancer', 'internal', 'type')?.['enum']).toContain('haproxy');
    expect(at('spec', 'loadBalancer', 'mode')?.['enum']).toEqual(['external', 'internal']);
    expect(at('spec', 'runtime', 'type')?.['enum']).toContain('containerd');
    expect(at('spec', 'etcd', 'externalConfig', 'endpoints')).toBeDefined();
    expect(at('spec', 'host')).toMatchObject({ type: 'string' });
    expect(at('spec', 'kubernetes', 'containerRuntime')?.anyOf).toHaveLength(2);
    expect(at('spec', 'registry', 'registryMirrors')?.anyOf?.map((one) => one['type'])).toEqual(['array', 'string']);
  });

  test('holds nothing but JSON Schema', () => {
    expect(JSON.stringify(schema)).not.toMatch(/"(aliases|oneOrMany|shorthand|canonical|free|secret)":/);
    expect(schema['$schema']).toMatch(/json-schema\.org/);
  });
});

describe('the example', () => {
  test.each(
    [1, 2, 3, 4, 5, 64, 65, 300, 1000, 5000].flatMap(
      (nodes) =>
        [
          [nodes, false],
          [nodes, true],
        ] as const,
    ),
  )('of %d hosts, full: %s, loads without a problem', async (nodes, full) => {
    const text = exampleConfig({ nodes, full });
    const { cluster, problems } = await loadConfig({ text, file: 'config.yaml' });
    expect(problems).toEqual([]);
    expect(cluster?.spec.hosts).toHaveLength(nodes);
    expect(text.split('\n')[0]).toBe('# yaml-language-server: $schema=./kubexm.schema.json');
  });

  test('takes names, versions and the place of the schema', async () => {
    const text = exampleConfig({ name: 'prod', version: 'v1.35.1', schema: 'https://example.com/s.json' });
    const { cluster } = await loadConfig({ text, file: 'config.yaml' });
    expect(cluster).toMatchObject({ metadata: { name: 'prod' }, spec: { kubernetes: { version: 'v1.35.1' } } });
    expect(text).toContain('$schema=https://example.com/s.json\n');
  });

  test('in full it names every field below spec that has no entry of its own', () => {
    const text = exampleConfig({ full: true });
    for (const { path } of describeSchema()) {
      const [spec, section, key, deeper] = path.split('.');
      if (spec !== 'spec' || deeper !== undefined || key === undefined || /\[\]|</.test(path)) continue;
      if (section === 'ssh' || section === 'roleGroups') continue;
      expect(text, path).toMatch(new RegExp(`^\\s*(# )*${key}:`, 'm'));
    }
  });
});
