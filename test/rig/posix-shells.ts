import { accessSync } from 'node:fs';
import { describe, type TestContext, test } from 'vitest';
import { library } from '../../src/host/lib/index.ts';
import { sh } from '../../src/model/script.ts';
import { runSmall } from './starter.ts';
import { everyCase, seed } from './thorough.ts';

/** A POSIX shell of this machine. */
export interface PosixShell {
  readonly name: string;
  readonly file: string;
  readonly args: readonly string[];
}

/** The shells that /bin/sh is on the systems we manage. */
const WANTED = [
  { name: 'dash', args: [], needs: 'dash' },
  { name: 'bash', args: ['--posix'], needs: 'bash' },
  {
    name: 'busybox',
    args: ['ash'],
    needs: 'the package busybox through apt, or a busybox that runs the programs in PATH',
  },
] as const;

/** A shell by its name, if it is here. A busybox is the one that scripts/test-shells.mjs chose. */
export function shellFile(name: string): string | undefined {
  if (name !== 'busybox') return onPath(name);
  return process.env['KUBEXM_TEST_BUSYBOX'] || undefined;
}

/** Those that are here. */
export function posixShells(): PosixShell[] {
  return WANTED.flatMap(({ name, args }) => {
    const file = shellFile(name);
    return file === undefined ? [] : [{ name, file, args }];
  });
}

/** Registers a test where it is this place's turn. */
export type TurnTest = (title: string, body: (context: TestContext) => Promise<void>) => void;

/**
 * A suite for every shell. A plain run deals its tests out to the shells, others to each in every run, so that every test is tried
 * in one of them; a thorough run tries everything in every shell.
 */
export function inEveryShell(name: string, suite: (shell: PosixShell, test: TurnTest) => void): void {
  const shells = posixShells();
  for (const [place, shell] of shells.entries())
    describe(`${name} in ${shell.name}`, () => suite(shell, inTurn(place, shells.length)));
  for (const shell of WANTED.filter((one) => shellFile(one.name) === undefined))
    describe.skip(`${name} in ${shell.name}: needs ${shell.needs}`, () => suite({ ...shell, file: '' }, test));
}

/** Deals the tests of a suite out to so many places, others to each in every run; in a thorough run each gets all. */
export function inTurn(place: number, places: number): TurnTest {
  let count = 0;
  return (title, body) => {
    if (everyCase() || (count++ + seed) % places === place) test(title, body);
  };
}

/** Where a command is, if anywhere. */
export function onPath(name: string): string | undefined {
  const places = (process.env['PATH'] ?? '').split(':').map((dir) => `${dir}/${name}`);
  return places.find((file) => {
    try {
      accessSync(file);
      return true;
    } catch {
      return false;
    }
  });
}

/** Runs a script that has our library, as a host would. */
export async function runWithLibrary(
  shell: PosixShell,
  script: string,
  places: { readonly state: string; readonly run: string },
): Promise<{ code: number; stdout: string; stderr: string }> {
  const text = `KX_STATE='${places.state}' KX_RUN='${places.run}' KX_T='${places.run}'\n${library}kx_env\n${script}\n`;
  // Not through a pipe, of which some shells read every byte by itself.
  const { code, stdout, stderr } = await runSmall(sh`exec ${[shell.file, ...shell.args]} -c ${text}`.script);
  return { code, stdout: stdout.toString(), stderr };
}
