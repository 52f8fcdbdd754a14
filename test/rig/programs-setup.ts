import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import type { TestProject } from 'vitest/node';
import { bundleOptions } from '../../scripts/bundle-options.mjs';

/** What tests start as processes of their own, or load as a whole. */
const ENTRIES = {
  kubexm: 'src/cli/main.ts',
  // The command line looks for it beside itself.
  'lab-repository': 'src/lab/nspawn/repository/main.ts',
  'sample-kubexm': 'test/cli/rig/sample-main.ts',
  'cli-in-process': 'test/cli/rig/in-process.ts',
  'play-view': 'test/cli/rig/play-view.ts',
  ask: 'test/cli/rig/ask.ts',
  'crash-pipeline': 'test/rig/crash-pipeline.ts',
  'certificate-run': 'test/rig/certificate-run.ts',
  'child-run': 'test/rig/child-run.ts',
  'sample-drive': 'test/integration/drive.ts',
  'sample-run': 'test/integration/drive-run.ts',
  'manifest-drive': 'test/integration/manifest-drive.ts',
  'manifest-run': 'test/integration/manifest-run.ts',
  oci: 'src/artifacts/oci/index.ts',
} as const;

/** A program of the tests. */
export type ProgramName = keyof typeof ENTRIES;

declare module 'vitest' {
  interface ProvidedContext {
    /** The directory of the programs. */
    programs: string;
  }
}

/** Bundles them once for a whole run: hundreds of processes start, and stripping types in each costs more than most tests. */
export async function setup(project: TestProject): Promise<() => void> {
  refuseUnconfined();
  const root = fileURLToPath(new URL('../..', import.meta.url));
  // Inside the checkout: the programs look for its data above themselves.
  const cache = join(root, 'node_modules', '.cache');
  mkdirSync(cache, { recursive: true });
  const dir = realpathSync(mkdtempSync(join(cache, 'kubexm-test-')));
  const tidy = (): void => rmSync(dir, { recursive: true, force: true });
  try {
    await build({
      absWorkingDir: root,
      entryPoints: { ...ENTRIES },
      outdir: dir,
      outExtension: { '.js': '.mjs' },
      ...bundleOptions,
      splitting: true,
    });
  } catch (error) {
    tidy();
    throw error;
  }
  project.provide('programs', dir);
  return tidy;
}

/** As root, tests could change links, routes and processes of this machine: scripts/confine.mjs gives them their own. */
function refuseUnconfined(): void {
  if (process.getuid?.() !== 0 || process.env['KUBEXM_TEST_CONFINED'] === '1') return;
  if (process.env['KUBEXM_TEST_UNCONFINED'] === '1') return;
  const links = readFileSync('/proc/net/dev', 'utf8').split('\n').slice(2).filter(Boolean);
  if (links.some((line) => line.split(':')[0]?.trim() !== 'lo'))
    throw new Error('as root, start tests with `npm test -- <files>`: it gives them namespaces of their own');
}
