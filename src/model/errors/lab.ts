import { code } from './entry.ts';

/** KX6xxx: machines of the lab. */
export const labErrors = {
  // data/errors/lab.json · KX6xxx: the lab's machines.
  KX6001: code(4, 'programs', 'packages'),
  KX6002: code(64, 'name'),
  KX6003: code(64, 'name', 'names'),
  KX6004: code(64, 'name', 'names'),
  KX6005: code(64, 'detail'),
  KX6006: code(4, 'what'),
  KX6007: code(4, 'image'),
  KX6008: code(1, 'image', 'reason'),
  KX6010: code(64, 'subnet', 'other'),
  KX6011: code(4),
  KX6012: code(4, 'link', 'name'),
  KX6013: code(1, 'name', 'what'),
  KX6014: code(5, 'machine'),
  KX6015: code(1, 'machine', 'seconds', 'reason'),
  KX6016: code(4),
  KX6017: code(64, 'name', 'snapshot'),
  KX6018: code(1, 'name', 'what'),
  KX6019: code(4, 'packages', 'reason'),
  KX6020: code(1, 'command', 'reason'),
  KX6021: code(4, 'dir', 'reason'),
  KX6022: code(1, 'name', 'reason'),
  KX6023: code(1, 'name', 'file', 'reason'),
  KX6024: code(1, 'file', 'reason'),
  // data/errors/lab-use.json · KX66xx: working with a lab: what changed on its machines, its commands.
  KX6601: code(1, 'machine', 'lab'),
  KX6602: code(1, 'file', 'reason'),
  KX6603: code(1, 'file', 'reason'),
  KX6610: code(4, 'tool', 'package'),
  KX6611: code(1, 'what', 'reason'),
  KX6620: code(130, 'lab'),
  // data/errors/quickstart.json · KX663x: quickstart.
  KX6630: code(64, 'have', 'wanted'),
  KX6631: code(64, 'have', 'wanted'),
  KX6632: code(64, 'dir'),
};
