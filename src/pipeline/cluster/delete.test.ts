import { expect, test } from 'vitest';
import { configFor, planContextFor } from '../../../test/support/plan-context.ts';
import type { HostManifest } from '../../model/manifest.ts';
import type { ExecutionFragment } from '../../plan/node.ts';
import { resetNodes } from '../node/reset.ts';
import { deleteCluster } from './delete.ts';

/** What each entry is undone with, as JSON. */
function undone({ nodes }: ExecutionFragment): readonly string[] {
  const uses = [...nodes.values()].flatMap(({ body }) => (body.type === 'step' ? [body.use] : []));
  return uses.flatMap(({ step, want }) => (step.kind === 'undoEntry' ? [JSON.stringify(want)] : []));
}

test('only hosts that are undone with all others of their cluster get KX_WHOLE', async () => {
  const manifest: HostManifest = {
    uid: '11111111-2222-3333-4444-555555555555',
    cluster: 'demo',
    entries: [
      {
        seq: '000001',
        node: 'kubernetes/init/init',
        run: 'r1',
        at: '2025-01-01T00:00:00.000Z',
        kind: 'file',
        title: 'file /etc/x',
        names: [],
        effects: [],
        paths: [],
      },
    ],
  };
  const { hosts } = await planContextFor(configFor());
  const nodes = hosts.map(({ name }) => name);
  const manifests = Object.fromEntries(nodes.map((name) => [name, manifest]));
  const context = await planContextFor(configFor(), { manifests });
  const whole = undone(deleteCluster.plan(context, undefined));
  expect(whole).toHaveLength(nodes.length);
  for (const one of whole) expect(one).toContain('"whole":true');
  for (const one of undone(resetNodes.plan(context, { nodes }))) expect(one).not.toContain('whole');
});
