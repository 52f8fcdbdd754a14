import { z } from 'zod';
import { addonsSchema } from './addons.ts';
import { artifactsSchema } from './artifacts.ts';
import { controlPlaneEndpointSchema } from './control-plane-endpoint.ts';
import { dnsSchema } from './dns.ts';
import { etcdSchema } from './etcd.ts';
import { extraSchema } from './extra.ts';
import { choice, section } from './field.ts';
import { hostsSchema } from './host.ts';
import { kubernetesSchema } from './kubernetes.ts';
import { networkSchema } from './network.ts';
import { pkiSchema } from './pki.ts';
import { registrySchema } from './registry.ts';
import { roleGroupsSchema } from './roles.ts';
import { sshSchema } from './ssh.ts';
import { storageSchema } from './storage.ts';
import { systemSchema } from './system.ts';
import { label } from './text.ts';

/** The apiVersion of the document. */
export const API_VERSION = 'kubexm.mensylisir.io/v1alpha1';

/** The document a person writes, with canonical names. */
export const documentSchema = z.strictObject({
  apiVersion: choice([API_VERSION]).describe('Version of this document.'),
  kind: choice(['Cluster']).describe('Kind of this document.'),
  metadata: z
    .strictObject({ name: label().describe('Name of the cluster; also of its work directory.') })
    .describe('What the cluster is called.'),
  spec: z
    .strictObject({
      hosts: hostsSchema,
      ssh: sshSchema,
      roleGroups: roleGroupsSchema,
      controlPlaneEndpoint: controlPlaneEndpointSchema,
      system: systemSchema,
      kubernetes: kubernetesSchema,
      etcd: etcdSchema,
      pki: pkiSchema,
      network: networkSchema,
      storage: storageSchema,
      registry: registrySchema,
      addons: addonsSchema,
      dns: dnsSchema,
      extra: extraSchema,
      artifacts: artifactsSchema,
      monitoring: section({
        enabled: z.boolean().default(false).describe('Install Prometheus and Grafana.'),
      }).describe('Monitoring of the cluster.'),
    })
    .describe('What the cluster is to be.'),
});

/** A checked document with its defaults, before names are expanded. */
export type ClusterDocument = z.output<typeof documentSchema>;
