import { z } from 'zod';
import { choice, line, list, refuse } from './field.ts';
import { isLabelKey, isLabelValue } from './names.ts';
import { role } from './roles.ts';
import { hostKeyField, sshFields } from './ssh.ts';
import { addresses, hostAddress, nodeName } from './text.ts';

const labels = z
  .record(z.string(), z.string())
  .check((payload) => {
    for (const [key, value] of Object.entries(payload.value)) {
      const wrong = isLabelKey(key) ? (isLabelValue(value) ? undefined : value) : key;
      if (wrong !== undefined) refuse(payload, 'KX2322', { value: wrong });
    }
  })
  .default({});

/** What keeps pods away from a node. */
export interface Taint {
  readonly key: string;
  readonly value?: string;
  readonly effect: string;
}

const TAINT = /^([^=:]+)(?:=([^=:]*))?:(NoSchedule|PreferNoSchedule|NoExecute)$/;

/** `gpu=true:NoSchedule`, as kubectl writes it. */
const taint = line().transform((text, context): Taint => {
  const [, key = '', value, effect = ''] = TAINT.exec(text) ?? [];
  if (!isLabelKey(key) || !isLabelValue(value ?? ''))
    refuse({ issues: context.issues, value: text }, 'KX2340', { value: text });
  return { key, effect, ...(value === undefined ? {} : { value }) };
});

/** An entry of `spec.hosts`. */
const hostSchema = z.strictObject({
  name: nodeName().describe('Name of the machine and of its node: DNS-1123, lower case, unique.'),
  address: hostAddress().describe('Where SSH reaches the machine: an IP address or a name.'),
  internalAddress: addresses()
    .optional()
    .describe('Address that the other hosts use: IPv4, IPv6, or "IPv4,IPv6". Default: address.'),
  ...sshFields(),
  ...hostKeyField(),
  arch: choice(['amd64', 'arm64'], { x86_64: 'amd64', aarch64: 'arm64' })
    .optional()
    .describe('CPU architecture. Default: what the machine says.'),
  labels: labels.describe('Labels of the Kubernetes node.'),
  taints: list(taint).describe('Taints of the Kubernetes node when it joins, such as gpu=true:NoSchedule.'),
  roles: list(role).describe('Roles of this host, as another way to say what roleGroups says.'),
});

/** `spec.hosts`. */
export const hostsSchema = z.array(hostSchema).describe('All machines of the cluster.');
