import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { library } from '../../host/lib/index.ts';
import { output } from '../../model/host.ts';
import type { Script } from '../../model/script.ts';
import { type KubeObjects, kubeObjects } from './kube-objects.ts';

const { probe, judge, revert, retry } = kubeObjects.definition;
const object = (kind: string, name: string, namespace?: string) => ({
  apiVersion: 'v1',
  kind,
  metadata: { name, ...(namespace === undefined ? {} : { namespace }) },
});
const want: KubeObjects = {
  name: 'a network',
  objects: [object('Namespace', 'net'), object('ConfigMap', 'cfg', 'net'), object('DaemonSet', 'daemon', 'net')],
  kubeconfig: '/etc/kubernetes/admin.conf',
};
const ALL = ['Namespace net', 'ConfigMap net/cfg', 'DaemonSet net/daemon'];
const ALL_ROWS = `Namespace   <none>   net
ConfigMap   net      cfg
DaemonSet   net      daemon
`;
const DIFFERS = `diff -u -N /tmp/LIVE-1/v1.ConfigMap.net.cfg /tmp/MERGED-2/v1.ConfigMap.net.cfg
--- /tmp/LIVE-1/v1.ConfigMap.net.cfg
+++ /tmp/MERGED-2/v1.ConfigMap.net.cfg
@@ -1 +1 @@
- old
+ new
`;

let dir: string;
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'kubexm-objects-'));
  // Says what the files beside it hold, and notes what it is called for.
  const kubectl = `#!/bin/sh
while [ "\${1#-}" != "$1" ]; do case "$1" in --kubeconfig) shift ;; esac; shift; done
echo "$1" >>"${dir}/calls"
for last; do :; done
[ "$1" != delete ] || sed -n 's/^  name: /deleted /p; s/^kind: /of /p' "$last" >>"${dir}/deleted"
cat "${dir}/$1.out"
cat "${dir}/$1.err" >&2
exit "$(cat "${dir}/$1.code")"
`;
  writeFileSync(join(dir, 'kubectl'), kubectl, { mode: 0o755 });
  // Nobody has to wait for what is asked twice.
  writeFileSync(join(dir, 'sleep'), '#!/bin/sh\n', { mode: 0o755 });
  for (const verb of ['diff', 'get', 'delete']) answers(verb, 0);
});
afterEach(() => rmSync(dir, { recursive: true, force: true }));

function answers(verb: string, code: number, out = '', err = ''): void {
  writeFileSync(join(dir, `${verb}.out`), out);
  writeFileSync(join(dir, `${verb}.err`), err);
  writeFileSync(join(dir, `${verb}.code`), String(code));
}

function run(script: Script) {
  const env = { PATH: `${dir}:${process.env['PATH']}`, KX_T: dir };
  const { status, stdout, stderr } = spawnSync('sh', ['-c', `${library}${script.script}`], { env, encoding: 'utf8' });
  return output(status ?? -1, stdout, stderr);
}

const noted = (file: string): readonly string[] =>
  existsSync(join(dir, file)) ? readFileSync(join(dir, file), 'utf8').trim().split('\n') : [];

/** What the check keeps, as the journal gives it back. */
function before(wanted = want) {
  const verdict = judge!(run(probe!(wanted)), wanted);
  if (verdict.verdict !== 'needed') return undefined;
  return JSON.parse(JSON.stringify(verdict.seen)) as typeof verdict.seen;
}

const undo = (seen: ReturnType<typeof before>, wanted = want) => run(revert!({} as never, wanted, seen!) as Script);

test('a cluster that is as wanted is asked once', () => {
  expect(before()).toBeUndefined();
  expect(noted('calls')).toEqual(['diff']);
});

test('differences are reported by name, without the text', () => {
  answers('diff', 1, DIFFERS);
  answers('get', 0, ALL_ROWS);
  const { stdout } = run(probe!(want));
  expect(stdout).toBe(`+++ /tmp/MERGED-2/v1.ConfigMap.net.cfg\nthere\n${ALL_ROWS}`);
  expect(judge!(output(1, stdout), want)).toMatchObject({ diff: [{ what: 'v1.ConfigMap.net.cfg' }] });
});

test.each([
  [
    'the server is not there',
    'The connection to the server 10.0.0.1:6443 was refused - did you specify the right host or port?',
    true,
  ],
  ['its etcd has no leader', 'Error from server: etcdserver: leader changed', true],
  ['it says no', 'Error from server (Forbidden): configmaps "cfg" is forbidden', false],
  ['the objects differ', '', false],
])('a check after the change is worth another try only while nobody answers: %s', (_, said, worth) => {
  answers('diff', said === '' ? 1 : 2, said === '' ? DIFFERS : '', said);
  answers('get', 1);
  const seen = run(probe!(want));
  expect(judge!(seen, want).verdict).toBe('needed');
  expect(retry!(want)!.unanswered!(seen)).toBe(worth);
  expect(existsSync(join(dir, 'objects.said'))).toBe(false);
});

test.each<[string, number, string, readonly string[] | undefined]>([
  ['it has all of them', 0, ALL_ROWS, []],
  ['it has none of them, nor their namespace', 0, '', ALL],
  ['one is gone', 0, ALL_ROWS.replace(/^ConfigMap.*\n/m, ''), ['ConfigMap net/cfg']],
  [
    'one of that name is in another namespace',
    0,
    ALL_ROWS.replace('net      cfg', 'other    cfg'),
    ['ConfigMap net/cfg'],
  ],
  ['it does not answer', 1, '', undefined],
  ['it does not answer for all', 1, 'Namespace   <none>   net\n', undefined],
])('what the cluster had before is known: %s', (_, code, rows, absent) => {
  answers('diff', 2, '', 'Error from server (NotFound): namespaces "net" not found');
  answers('get', code, rows);
  expect(before()).toEqual(absent === undefined ? {} : { absent });
});

test('an object that names no namespace is there in whichever it was put', () => {
  const wanted = { ...want, objects: [object('ConfigMap', 'plain')] };
  answers('diff', 1, DIFFERS);
  answers('get', 0, 'ConfigMap   default   plain\n');
  expect(before(wanted)).toEqual({ absent: [] });
});

test('a cluster that was repaired keeps what it had', () => {
  answers('diff', 1, DIFFERS);
  answers('get', 0, ALL_ROWS);
  const { code, stderr } = undo(before());
  expect(code).toBe(0);
  expect(noted('calls')).not.toContain('delete');
  expect(stderr).toBe(`a network stays as applied where the cluster had it before: ${ALL.join(', ')}\n`);
});

test('what was not there before goes, and nothing else', () => {
  answers('diff', 1, DIFFERS);
  answers('get', 0, ALL_ROWS.replace(/^ConfigMap.*\n/m, ''));
  const { code, stderr } = undo(before());
  expect(code).toBe(0);
  expect(noted('deleted')).toEqual(['of ConfigMap', 'deleted cfg']);
  expect(stderr).toContain('stays as applied where the cluster had it before: Namespace net, DaemonSet net/daemon');
});

test('a new cluster loses all of it, without a word', () => {
  answers('diff', 2);
  const { code, stderr } = undo(before());
  expect([code, stderr]).toEqual([0, '']);
  expect(noted('deleted').filter((line) => line.startsWith('of '))).toEqual([
    'of Namespace',
    'of ConfigMap',
    'of DaemonSet',
  ]);
});

test('where nobody knows what there was, all stays', () => {
  answers('diff', 2);
  answers('get', 1);
  const { code, stderr } = undo(before());
  expect(code).toBe(0);
  expect(noted('calls')).not.toContain('delete');
  expect(stderr).toContain('a network stays as applied: nobody knows');
});

test('what others own too stays, be it new', () => {
  const wanted = { ...want, shared: true };
  answers('diff', 2);
  const { code, stderr } = undo(before(wanted), wanted);
  expect(code).toBe(0);
  expect(noted('calls')).not.toContain('delete');
  expect(stderr).toContain('a network stays as applied: others own it too');
});

test('a server that does not delete is a failure of the undoing', () => {
  answers('diff', 2);
  answers('delete', 1, '', 'Unable to connect to the server: EOF');
  expect(undo(before())).toMatchObject({ code: 1, stderr: 'Unable to connect to the server: EOF' });
});
