import { z } from 'zod';
import { alias, choice, marked } from './field.ts';
import { version } from './text.ts';

/** Container runtimes that kubexm installs. */
export const RUNTIMES = ['containerd', 'docker', 'cri-o', 'isulad'] as const;

/** A container runtime. */
export type Runtime = (typeof RUNTIMES)[number];

const own = (what: string) =>
  z
    .strictObject({ version: version().optional().describe(`Version of ${what}.`) })
    .optional()
    .describe(`Settings of ${what}.`);

/** `spec.kubernetes.containerRuntime`. */
export const containerRuntimeSchema = marked(
  z.strictObject({
    type: choice(RUNTIMES, { crio: 'cri-o', isula: 'isulad', iSulad: 'isulad' })
      .default('containerd')
      .describe('The container runtime.'),
    version: version().optional().describe('Its version. Default: what fits the Kubernetes version.'),
    containerd: own('containerd'),
    docker: own('docker'),
    'cri-o': alias(own('CRI-O'), 'crio'),
    isulad: alias(own('iSulad'), 'isula'),
  }),
  { shorthand: 'type' },
);
