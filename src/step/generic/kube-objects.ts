import type { JsonObject } from '../../model/json.ts';
import { lines, type Script, sh } from '../../model/script.ts';
import { defineStep, needed, satisfied } from '../../plan/step.ts';
import { withConfigDigests } from './lib/config-digest.ts';
import { contentBytes } from './lib/content.ts';
import { type Manifest, patchedManifest } from './lib/kube-manifest.ts';
import { absolute, invalid } from './lib/path.ts';

/** Objects of Kubernetes, applied on the server with kubexm as the owner of the fields that it sets. */
export interface KubeObjects {
  /** What they are, for people: `flannel`. */
  readonly name: string;
  readonly objects?: readonly JsonObject[];
  /** A manifest of a project, with what this cluster changes in it. */
  readonly manifest?: Manifest;
  /** They are not only kubexm's: fields are set in them, and they are never deleted. */
  readonly shared?: boolean;
  /** On the host. */
  readonly kubeconfig: string;
}

const MANAGER = 'kubexm';

/** Applies objects. The check asks the server what would change, so it also sees what others have changed since. */
export const kubeObjects = defineStep<KubeObjects>()({
  kind: 'kubeObjects',
  description:
    'Objects of Kubernetes as wanted, applied on the server; what others changed in them since is seen and put right.',
  title: (want) => `apply ${want.name}`,
  probe: (want) =>
    lines(
      textFile(want),
      // A controller that is at work on an object between the two looks of `diff` makes them differ: what is said twice is so.
      sh`kx_before=
for kx_try in 1 2 3; do
kx_diff=$(KUBECTL_EXTERNAL_DIFF='diff -u -N' ${kubectl(want)} diff --server-side --force-conflicts --field-manager=${MANAGER} -f "$KX_OBJECTS" 2>&1)
kx_code=$?
kx_now=$(printf '%s' "$kx_diff" | grep '^[-+] ')
case $kx_code$kx_diff in 1*+++*) [ "$kx_now" != "$kx_before" ] || break ;; *) break ;; esac
kx_before=$kx_now
sleep 1
done
printf '%s\\n' "$kx_diff"
(exit "$kx_code")`,
    ),
  judge: (output, want) => {
    if (output.code === 0) return satisfied();
    return needed({}, differences(output.code === 1 ? output.stdout : '', want));
  },
  apply: (_host, want) =>
    lines(
      textFile(want),
      sh`${kubectl(want)} apply --server-side --force-conflicts --field-manager=${MANAGER} -f "$KX_OBJECTS"`,
    ),
  // They live in the cluster, not on this machine: who deletes the cluster deletes them.
  revert: (_host, want) =>
    want.shared === true
      ? sh`:`
      : lines(textFile(want), sh`${kubectl(want)} delete --ignore-not-found --wait=false -f "$KX_OBJECTS" || :`),
  owns: () => [],
  job: true,
  timeoutSeconds: 180,
  retry: () => ({
    attempts: 5,
    delaySeconds: 2,
    transient: (failure) =>
      !(failure instanceof Error) &&
      /connection refused|i\/o timeout|EOF|TLS handshake timeout|etcdserver|ServiceUnavailable|no endpoints available/.test(
        failure.stderr,
      ),
  }),
  estimateSeconds: 2,
  example: {
    name: 'a namespace',
    objects: [{ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'example' } }],
    kubeconfig: '/etc/kubernetes/admin.conf',
  },
});

/** Without a cache: it would be in somebody's home directory, and stay there. */
export const KUBECTL: readonly string[] = ['kubectl', '--cache-dir=/dev/null'];

function kubectl({ kubeconfig }: KubeObjects): Script {
  return sh`${KUBECTL} --kubeconfig ${absolute(kubeconfig)} --request-timeout=30s`;
}

/** The objects in a file of their own, gone with the shell. */
function textFile(want: KubeObjects): Script {
  const text = Buffer.from(contentBytes({ documents: objectsOf(want) })).toString('base64');
  return sh`mkdir -p -- "$KX_RUN" && KX_OBJECTS=$(mktemp "$KX_RUN"/objects.XXXXXX) || exit
trap 'rm -f -- "$KX_OBJECTS"' EXIT
printf %s ${text} | base64 -d >"$KX_OBJECTS" || exit`;
}

/** The names of what differs, from what `diff` prints; all of them where the server cannot be asked yet. */
function differences(text: string, want: KubeObjects) {
  const changed = [...text.matchAll(/^\+\+\+ \S*\/([^\s/]+)/gm)].map((match) => match[1] ?? '');
  if (changed.length > 0) return changed.map((what) => ({ what, to: 'as wanted' }));
  return objectsOf(want).map((object) => ({ what: nameOf(object), to: 'as wanted' }));
}

function objectsOf({ name, objects = [], manifest }: KubeObjects): readonly JsonObject[] {
  const all = [...objects, ...(manifest === undefined ? [] : patchedManifest(manifest))];
  if (all.length === 0) throw invalid(`${name} has no objects`);
  return withConfigDigests(all);
}

function nameOf(object: JsonObject): string {
  const { metadata, kind } = object as { readonly kind?: string; readonly metadata?: { readonly name?: string } };
  return `${kind ?? '?'} ${metadata?.name ?? '?'}`;
}
