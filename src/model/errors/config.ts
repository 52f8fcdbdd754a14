import { configComponentErrors } from './config-components.ts';
import { configFileErrors } from './config-file.ts';
import { configHostErrors } from './config-hosts.ts';
import { configKubernetesErrors } from './config-kubernetes.ts';
import { configNoteErrors } from './config-notes.ts';
import { configOverrideErrors } from './config-overrides.ts';
import { configPkiErrors } from './config-pki.ts';
import { configShapeErrors } from './config-shape.ts';
import { configSyntaxErrors } from './config-syntax.ts';
import { configValueErrors } from './config-values.ts';

/** KX2xxx: the configuration file. KX29xx are warnings: the configuration loads all the same. */
export const configErrors = {
  ...configFileErrors,
  ...configSyntaxErrors,
  ...configShapeErrors,
  ...configOverrideErrors,
  ...configValueErrors,
  ...configHostErrors,
  ...configComponentErrors,
  ...configKubernetesErrors,
  ...configPkiErrors,
  ...configNoteErrors,
};
