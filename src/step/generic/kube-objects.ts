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

/** What is known of the time before a change. */
interface Before {
  /** The keys of the objects that the server said it does not have. Missing where it could not be asked. */
  readonly absent?: readonly string[];
}

const MANAGER = 'kubexm';
/** In the answer of the probe: the objects that there are follow. */
const THERE = 'there';
const THERE_LINE = /^there$/m;
/** What kubectl says when the server, or the etcd behind it, does not answer for a moment. */
const UNANSWERED =
  /connection refused|was refused - did you specify|connection reset by peer|i\/o timeout|EOF|TLS handshake timeout|etcdserver|ServiceUnavailable|no endpoints available/;
const COLUMNS = 'custom-columns=KIND:.kind,NAMESPACE:.metadata.namespace,NAME:.metadata.name';

/** Applies objects. The check asks the server what would change, so it also sees what others have changed since. */
export const kubeObjects = defineStep<KubeObjects>()({
  kind: 'kubeObjects',
  description:
    'Objects of Kubernetes as wanted, applied on the server; what others changed in them since is seen and put right. Undoing deletes only what the cluster did not have before.',
  title: (want) => `apply ${want.name}`,
  probe: (want) =>
    lines(
      textFile(want),
      // A controller that is at work on an object between the two looks of `diff` makes them differ: what is said twice is so.
      sh`kx_before=
for kx_try in 1 2 3; do
kx_diff=$(KUBECTL_EXTERNAL_DIFF='diff -u -N' ${kubectl(want)} diff --server-side --force-conflicts --field-manager=${MANAGER} -f "$KX_OBJECTS" 2>"$KX_OBJECTS.said")
kx_code=$?
kx_now=$(printf '%s' "$kx_diff" | grep '^[-+] ')
case $kx_code$kx_diff in 1*+++*) [ "$kx_now" != "$kx_before" ] || break ;; *) break ;; esac
kx_before=$kx_now
sleep 1
done
printf '%s\\n' "$kx_diff" | grep '^+++ '
[ "$kx_code" = 0 ] || tail -n 3 "$KX_OBJECTS.said" >&2
if [ "$kx_code" != 0 ] && kx_there=$(${kubectl(want, 10)} get --ignore-not-found --no-headers -o ${COLUMNS} -f "$KX_OBJECTS" 2>/dev/null); then
printf '%s\\n' ${THERE} "$kx_there"
fi
(exit "$kx_code")`,
    ),
  judge: (output, want) => {
    if (output.code === 0) return satisfied();
    const [changes = '', there] = output.stdout.split(THERE_LINE);
    return needed(beforeOf(there, want), differences(output.code === 1 ? changes : '', want));
  },
  apply: (_host, want) =>
    lines(
      textFile(want),
      sh`${kubectl(want)} apply --server-side --force-conflicts --field-manager=${MANAGER} -f "$KX_OBJECTS"`,
    ),
  // What the cluster had may carry the traffic of others: it is never deleted, and its former fields are not known.
  revert: (_host, want, before: Before) => {
    const absent = new Set(want.shared === true ? [] : before.absent);
    const all = objectsOf(want);
    const made = all.filter((object) => absent.has(keyOf(object)));
    const had = all.filter((object) => !absent.has(keyOf(object)));
    const tell = had.length === 0 ? [] : [sh`kx_report left ${staying(want, before, had)}`];
    if (made.length === 0) return lines(...tell);
    return lines(
      ...tell,
      textFile(want, made),
      sh`${kubectl(want)} delete --ignore-not-found --wait=false -f "$KX_OBJECTS"`,
    );
  },
  // They live in the cluster, not on this machine: who deletes the cluster deletes them.
  owns: () => [],
  job: true,
  timeoutSeconds: 180,
  retry: () => ({
    attempts: 5,
    delaySeconds: 2,
    transient: (failure) => !(failure instanceof Error) && UNANSWERED.test(failure.stderr),
    // The check asks the same server, which may have gone away right after it took the objects.
    unanswered: (seen) => seen.code !== 0 && UNANSWERED.test(seen.stderr),
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

function kubectl({ kubeconfig }: KubeObjects, seconds = 30): Script {
  return sh`${KUBECTL} --kubeconfig ${absolute(kubeconfig)} --request-timeout=${`${seconds}s`}`;
}

/** The objects in a file of their own, gone with the shell. */
function textFile(want: KubeObjects, objects = objectsOf(want)): Script {
  const text = Buffer.from(contentBytes({ documents: objects })).toString('base64');
  return sh`KX_OBJECTS=$KX_T/objects
trap 'rm -f -- "$KX_OBJECTS" "$KX_OBJECTS.said"' EXIT
printf %s ${text} | base64 -d >"$KX_OBJECTS" || exit`;
}

/** The names of what differs, from what `diff` prints; all of them where the server cannot be asked yet. */
function differences(text: string, want: KubeObjects) {
  const changed = [...text.matchAll(/^\+\+\+ \S*\/([^\s/]+)/gm)].map((match) => match[1] ?? '');
  if (changed.length > 0) return changed.map((what) => ({ what, to: 'as wanted' }));
  return objectsOf(want).map((object) => ({ what: nameOf(object), to: 'as wanted' }));
}

/** From the objects that there are, a line each: kind, namespace, name. One whose kind and name are there is no absent one. */
function beforeOf(there: string | undefined, want: KubeObjects): Before {
  if (there === undefined) return {};
  const rows = there.split('\n').map((line) => line.trim().split(/\s+/));
  const isThere = (object: JsonObject) => {
    const { kind, namespace, name } = identityOf(object);
    return rows.some((row) => row[0] === kind && row[2] === name && (namespace === undefined || row[1] === namespace));
  };
  const absent = objectsOf(want).filter((object) => !isThere(object));
  return { absent: absent.map(keyOf) };
}

/** Why objects are left as they were applied. */
function staying({ name, shared }: KubeObjects, { absent }: Before, objects: readonly JsonObject[]): string {
  const what = `${name} stays as applied`;
  if (shared === true) return `${what}: others own it too`;
  if (absent === undefined) return `${what}: nobody knows what of it the cluster had before`;
  return `${what} where the cluster had it before: ${objects.map(keyOf).join(', ')}`;
}

function objectsOf({ name, objects = [], manifest }: KubeObjects): readonly JsonObject[] {
  const all = [...objects, ...(manifest === undefined ? [] : patchedManifest(manifest))];
  if (all.length === 0) throw invalid(`${name} has no objects`);
  return withConfigDigests(all);
}

function nameOf(object: JsonObject): string {
  const { kind, name } = identityOf(object);
  return `${kind ?? '?'} ${name ?? '?'}`;
}

/** Tells objects apart, and is short enough to be kept: `DaemonSet kube-flannel/kube-flannel-ds`. */
function keyOf(object: JsonObject): string {
  const { kind, namespace, name } = identityOf(object);
  return `${kind ?? '?'} ${namespace === undefined ? '' : `${namespace}/`}${name ?? '?'}`;
}

interface Identity {
  readonly kind?: string;
  readonly namespace?: string;
  readonly name?: string;
}

function identityOf(object: JsonObject): Identity {
  const { metadata, kind } = object as { readonly kind?: string; readonly metadata?: Omit<Identity, 'kind'> };
  return { ...metadata, ...(kind === undefined ? {} : { kind }) };
}
