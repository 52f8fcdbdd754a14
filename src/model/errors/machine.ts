import { code } from './entry.ts';

/** KX5xxx: what steps find on machines; KX8xxx: what is recorded about them and about runs. */
export const machineErrors = {
  // data/errors/step.json · KX5xxx: what steps themselves find out while they work.
  KX5001: code(1, 'file'),
  KX5002: code(1, 'path', 'host', 'reason'),
  KX5003: code(1, 'image', 'reason'),
  // data/errors/pki.json · KX51xx: CAs, certificates and keys that cannot be used.
  KX5101: code(1, 'what', 'path'),
  KX5102: code(1, 'key', 'path'),
  KX5103: code(1, 'path'),
  KX5104: code(1, 'key', 'path'),
  KX5105: code(1, 'path', 'from', 'to'),
  KX5106: code(1, 'path'),
  KX5107: code(1, 'path', 'kept'),
  KX5108: code(1, 'key', 'kind'),
  KX5109: code(1, 'path'),
  KX5110: code(1, 'path'),
  // data/errors/machine.json · KX52xx: what concerns a machine as a whole.
  KX5201: code(1, 'host', 'reason'),
  KX5202: code(1, 'host', 'seconds'),
  // data/errors/manifest.json · KX81xx: the manifest on hosts, and undoing what it says.
  KX8101: code(4, 'host', 'other', 'uid'),
  KX8102: code(1, 'host', 'reason'),
  KX8103: code(1, 'host'),
  KX8104: code(1, 'node', 'kind'),
  KX8105: code(1, 'node', 'reason'),
  KX8106: code(7, 'host', 'file'),
  // data/errors/record.json · KX8xxx: what is recorded about runs: the log, the event store, the metrics.
  KX8001: code(1, 'sink', 'reason'),
  KX8002: code(1, 'file', 'kept'),
  KX8003: code(1, 'file', 'found', 'known'),
  KX8004: code(1, 'file', 'reason'),
  KX8005: code(1, 'count', 'file'),
  KX8006: code(1, 'file', 'reason'),
  KX8007: code(1, 'address', 'reason'),
  KX8008: code(1, 'dir', 'reason'),
};
