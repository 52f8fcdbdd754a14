import { nothing, on, parallel, type StepFragment, sequence } from '../../plan/combinators.ts';
import { defineTask, type PlanContext } from '../../plan/layers.ts';
import type { ExecutionFragment } from '../../plan/node.ts';
import { member, type Ref } from '../../plan/ref.ts';
import {
  API_SERVER,
  apiServerDirectory,
  apiServerFile,
  auditPolicy,
  encryptionAtRest,
  type Kept,
  ownAuditPolicy,
} from '../../step/api-server.ts';
import { targetMasters } from '../nodes.ts';

/** Files of this machine that API servers read: they are the same for all tasks. */
interface LocalFiles {
  readonly policy?: StepFragment<Kept>;
  readonly encryption?: StepFragment<Kept>;
}

function localFiles(context: PlanContext): LocalFiles {
  const { audit, encryption } = context.cluster.spec.kubernetes;
  const { local, workDir } = context;
  return context.once(localFiles, () => ({
    ...(audit.enabled && audit.policyFile !== undefined
      ? { policy: on(local, ownAuditPolicy({ path: audit.policyFile })) }
      : {}),
    ...(encryption.enabled ? { encryption: on(local, encryptionAtRest({ workDir, encryption })) } : {}),
  }));
}

/** What an API server that is no static pod must have been started with. */
export function apiServerDigests(context: PlanContext): readonly Ref<string>[] {
  return fragmentsOf(localFiles(context)).map((one) => member(one.ref(), 'sha256'));
}

/** What API servers read, on the machine kubexm runs on. */
export const apiServerKeysTask = defineTask({
  name: 'kubernetes/api-server-keys',
  description: 'Make the key by which API servers encrypt what they store; read the policy of the audit log.',
  tags: ['kubernetes', 'certificates'],
  steps: [encryptionAtRest, ownAuditPolicy],
  isRequired: (context) => fragmentsOf(localFiles(context)).length > 0,
  plan: (context) => parallel(...fragmentsOf(localFiles(context))),
});

/** The same on masters, with a place for the audit log. */
export const apiServerTask = defineTask({
  name: 'kubernetes/api-server',
  description: 'The policy and place of the audit log, and how API servers encrypt what they store, on masters.',
  tags: ['kubernetes', 'control-plane'],
  steps: [apiServerDirectory, auditPolicy, apiServerFile],
  isRequired: ({ cluster: { spec } }) => spec.kubernetes.audit.enabled || spec.kubernetes.encryption.enabled,
  plan: (context) => {
    const { audit, encryption } = context.cluster.spec.kubernetes;
    return parallel(
      audit.enabled ? auditOn(context) : nothing(),
      encryption.enabled ? encryptionOn(context) : nothing(),
    );
  },
});

function auditOn(context: PlanContext): ExecutionFragment {
  const masters = targetMasters(context);
  const { policy } = localFiles(context);
  const written =
    policy === undefined
      ? on(masters, auditPolicy({}))
      : on(masters, apiServerFile({ source: policy.ref(), path: API_SERVER.policy }), { name: 'audit-policy' });
  return parallel(
    sequence(directory(context, 'audit'), written),
    sequence(directory(context, 'log'), directory(context, 'auditLog')),
  );
}

function encryptionOn(context: PlanContext): ExecutionFragment {
  const { encryption } = localFiles(context);
  if (encryption === undefined) return nothing();
  const placed = apiServerFile({ source: encryption.ref(), path: API_SERVER.encryptionConfig });
  return sequence(directory(context, 'encryption'), on(targetMasters(context), placed, { name: 'encryption' }));
}

function directory(context: PlanContext, name: 'audit' | 'log' | 'auditLog' | 'encryption'): ExecutionFragment {
  return on(targetMasters(context), apiServerDirectory({ path: API_SERVER[name] }), { name: `directory-${name}` });
}

function fragmentsOf({ policy, encryption }: LocalFiles): readonly StepFragment<Kept>[] {
  return [policy, encryption].filter((one) => one !== undefined);
}
