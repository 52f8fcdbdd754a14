import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import type { Io } from './io.ts';
import { removeFromKubeconfig, tryMerge } from './merge-kubeconfig.ts';

const ADMIN = `clusters: [{name: k, cluster: {server: "https://192.0.2.1"}}]
contexts: [{name: k, context: {cluster: k, user: k}}]
users: [{name: k, user: {}}]
`;

/** A cluster that has its kubeconfig, and somebody who hears what is said. */
function world() {
  const cwd = mkdtempSync(join(tmpdir(), 'kubexm-merge-'));
  onTestFinished(() => rmSync(cwd, { recursive: true }));
  mkdirSync(join(cwd, '.kubexm', 'demo'), { recursive: true });
  writeFileSync(join(cwd, '.kubexm', 'demo', 'kubeconfig'), ADMIN);
  const said: string[] = [];
  const io = {
    cwd,
    env: { HOME: cwd },
    lang: 'en',
    noteWidth: 500,
    say: (key: string) => key,
    paintNote: (_: string, text: string) => text,
    note: (...lines: (string | readonly string[])[]) => void said.push(...lines.flat()),
  } as unknown as Io;
  return { own: join(cwd, '.kube', 'config'), place: { cluster: 'demo', baseDir: cwd }, said, io };
}

test('after a run: merged, not fetched, or refused: told, and never thrown', async () => {
  const { own, place, said, io } = world();
  expect(await tryMerge(place, false, io)).toBe(1);
  expect(existsSync(own)).toBe(false);
  expect(await tryMerge(place, true, io)).toBe(0);
  expect(said).toEqual(['kubeconfig.unfetched', 'kubeconfig.merged']);
  writeFileSync(own, '{}');
  expect(await tryMerge(place, true, io)).toBe(1);
  expect(said.join('\n')).toContain('KX4710');
});

test('taken out: told if something was, with a remedy if it cannot be', async () => {
  const { own, place, said, io } = world();
  await removeFromKubeconfig(place, io);
  expect(said).toEqual([]);
  await tryMerge(place, true, io);
  const text = readFileSync(own, 'utf8');
  writeFileSync(own, 'hello');
  await removeFromKubeconfig(place, io);
  expect(said.join('\n')).toContain(`KX4713 demo cannot be taken out of ${own}: it is no kubeconfig`);
  expect(said.join('\n')).toContain(`kubectl config --kubeconfig ${own} delete-context demo`);
  writeFileSync(own, text);
  await removeFromKubeconfig(place, io);
  expect(said.at(-1)).toBe('kubeconfig.removed');
  await tryMerge(place, true, io);
  rmSync(own);
  await removeFromKubeconfig(place, io);
  expect(said.at(-1)).toBe('kubeconfig.merged');
});
