import { moduleOf } from '../plan/layers.ts';
import { runCommandTask } from '../task/operations/run-command.ts';

/** Day-to-day operations on hosts, outside of any component. */
export const operations = moduleOf('operations', 'Day-to-day operations on hosts.', runCommandTask);
