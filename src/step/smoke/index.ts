import type { Runtime } from '../../model/cluster/container-runtime.ts';
import { sh } from '../../model/script.ts';
import type { Wanted } from '../../plan/ref.ts';
import { dedicated } from '../../plan/step.ts';
import { removeImage } from '../generic/image.ts';
import { command, kubeObjects } from '../generic/index.ts';
import { KUBERNETES } from '../kubeadm/index.ts';
import { kubectl } from './kubectl.ts';
import { freshService, SMOKE, smokeObjects } from './objects.ts';
import { type SmokePods, smokePods } from './pods.ts';
import { type SmokeReport, smokeReport } from './report.ts';
import { type SmokeTry, smokeTry } from './try.ts';

/** The dedicated steps of the check of a cluster. What they make is gone afterwards. */
export const removeObjects = dedicated(
  'remove-objects',
  command,
  'Removes everything of a check from the cluster, and waits until it is gone.',
  (_: object) =>
    command({
      purpose: `remove the namespace ${SMOKE.namespace}`,
      run: kubectl(['delete', 'namespace', SMOKE.namespace, '--ignore-not-found', '--wait'], sh`--timeout=120s`).script,
      timeoutSeconds: 150,
    }),
);

/** The image of the check, away again. */
export const dropImage = dedicated(
  'drop-image',
  command,
  'Removes the image of the check from the runtime of the host.',
  (params: { readonly runtime: Runtime; readonly reference: string }) =>
    command({
      purpose: `remove the image ${params.reference}`,
      run: removeImage(params.runtime, params.reference).script,
    }),
);

/** The server of the check. */
export const testServer = dedicated(
  'objects',
  kubeObjects,
  'A small server on every node and a Service with a port on every node, in a namespace of the check.',
  ({ image }: { readonly image: string }) =>
    kubeObjects({ name: 'the test server', objects: smokeObjects(image), kubeconfig: KUBERNETES.adminConf }),
);

/** A Service to be found by its name. */
export const serviceOfCheck = dedicated(
  'service',
  command,
  'A Service of the check under a name that is new to DNS; gives that name.',
  (_: object) =>
    command({
      purpose: 'make a Service with a new name',
      run: sh`printf %s ${JSON.stringify(freshService())} | ${kubectl(['create', '-f', '-', '-o', 'jsonpath={.metadata.name}'])}`
        .script,
    }),
);

/** Waits for the pods. */
export const podsServe = dedicated(
  'pods',
  smokePods,
  'Waits until a pod of the check serves on every node.',
  (want: SmokePods) => smokePods(want),
);

/** Tries something. */
export const tryCheck = dedicated(
  'try',
  smokeTry,
  'Tries one kind of thing that a cluster must be able to do.',
  (want: Wanted<SmokeTry>) => smokeTry(want),
);

/** Tells what came of it. */
export const tellResults = dedicated(
  'results',
  smokeReport,
  'Shows all results in one table; a failed one fails the run.',
  (want: Wanted<SmokeReport>) => smokeReport(want),
);
