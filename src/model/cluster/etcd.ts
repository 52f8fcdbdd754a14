import { z } from 'zod';
import { alias, choice, int, line, refuse, section } from './field.ts';
import { dataDirectory, url, version } from './text.ts';

const external = z.strictObject({
  endpoints: z.array(url()).default([]).describe('Client addresses, such as https://192.168.6.6:2379.'),
  caFile: line()
    .optional()
    .describe('CA certificate on the machine kubexm runs on, relative to the directory of this file.'),
  certFile: line().optional().describe('Client certificate, likewise.'),
  keyFile: line().optional().describe('Key of the client certificate, likewise.'),
});

/** An empty cluster has some ten megabytes, and history besides. */
const MIN_QUOTA = 67_108_864;

const quota = () =>
  int(0, 1_099_511_627_776).check((payload) => {
    const { value } = payload;
    if (value > 0 && value < MIN_QUOTA) refuse(payload, 'KX2625', { value, min: MIN_QUOTA });
  });

/** `spec.etcd`. */
export const etcdSchema = section({
  type: choice(['kubexm', 'kubeadm', 'external'], { stack: 'kubeadm', stacked: 'kubeadm' })
    .default('kubexm')
    .describe('As systemd services on the etcd hosts, by kubeadm on the masters, or one that exists.'),
  version: version().optional().describe('Version of etcd. Default: what fits the Kubernetes version.'),
  external: alias(external.optional(), 'externalConfig').describe('The etcd that exists, for type external.'),
  dataDir: dataDirectory().default('/var/lib/etcd').describe('Data directory.'),
  heartbeatInterval: int(1, 60_000).default(250).describe('Milliseconds between heartbeats.'),
  electionTimeout: int(5, 50_000)
    .default(5000)
    .describe('Milliseconds until a new leader is elected; at least five heartbeats.'),
  snapshotCount: int(1, 10_000_000).default(10_000).describe('Transactions between snapshots to disk.'),
  autoCompactionRetention: int(0, 8760).default(8).describe('Hours of history kept; 0 keeps all.'),
  metrics: choice(['basic', 'extensive']).default('basic').describe('Detail of the metrics.'),
  quotaBackendBytes: quota().default(2_147_483_648).describe('Largest size of the database; 8 GiB at most is advised.'),
  maxRequestBytes: int(1024, 104_857_600).default(1_572_864).describe('Largest request.'),
  maxSnapshots: int(0, 1000).default(5).describe('Snapshot files kept; 0 keeps all.'),
  maxWals: int(0, 1000).default(5).describe('Write-ahead logs kept; 0 keeps all.'),
  logLevel: choice(['debug', 'info', 'warn', 'error', 'panic', 'fatal']).default('info').describe('Detail of the log.'),
}).describe('The store behind Kubernetes.');
