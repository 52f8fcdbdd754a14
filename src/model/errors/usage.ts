import { code } from './entry.ts';

/** KX1xxx: the command line and files of kubexm itself. */
export const usageErrors = {
  // data/errors/usage.json · KX1xxx: the command line and files of kubexm itself.
  KX1001: code(64, 'command', 'hint', 'help'),
  KX1002: code(64, 'command', 'option', 'hint', 'help'),
  KX1003: code(64, 'command', 'argument', 'help'),
  KX1004: code(64, 'command', 'extra', 'help'),
  KX1005: code(64, 'option', 'help'),
  KX1006: code(64, 'value', 'option', 'hint', 'allowed'),
  KX1007: code(64, 'command', 'option', 'help'),
  KX1008: code(64, 'first', 'second'),
  KX1009: code(64),
  KX1020: code(64),
  KX1021: code(64, 'name', 'hint', 'names'),
  KX1022: code(64, 'run', 'hint'),
  KX1023: code(64, 'run', 'count', 'runs'),
  KX1024: code(64, 'code', 'hint'),
  KX1030: code(64, 'file'),
  KX1031: code(1, 'file', 'reason'),
  KX1032: code(1, 'count', 'files', 'command'),
  KX1040: code(64, 'question'),
  KX1041: code(130, 'question'),
  KX1042: code(64, 'given', 'cluster'),
  KX1099: code(1, 'reason', 'log'),
};
