import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { freshBase, freshCache, freshProblem, sharedArtifacts } from '../rig/fresh/base.ts';
import { copyCheckout, type FreshMachine, freshMachine, type Place } from '../rig/fresh/machine.ts';
import { VARIANTS, type Variant } from '../rig/fresh/variants.ts';
import { thorough } from '../rig/thorough.ts';

const MINUTE = 60_000;
const repository = fileURLToPath(new URL('../..', import.meta.url));
const problem = freshProblem();

/** A suite on a machine that nobody has used, with this checkout in /src. */
function describeFresh(
  variant: Variant,
  { why, copies }: { readonly why?: string | undefined; readonly copies?: Place['copies'] },
  suite: (run: (script: string) => Promise<string>) => void,
): void {
  const reason = problem ?? why;
  const name = `on a fresh machine: ${variant.name}`;
  describe.skipIf(reason !== undefined)(reason === undefined ? name : `${name} (${reason})`, () => {
    let machine: FreshMachine | undefined;
    beforeAll(async () => {
      machine = await freshMachine(await freshBase(variant), join(freshCache(), 'uses'), copies);
      copyCheckout(machine, repository);
    }, 20 * MINUTE);
    afterAll(() => machine?.[Symbol.asyncDispose](), 5 * MINUTE);
    suite(async (script) => {
      const { code, output } = (await machine?.run(`cd /src\n${script}`)) ?? { code: null, output: '' };
      return `${output}\nended with ${code}`;
    });
  });
}

/** At least this much in every run: it sets itself up, says what building from source needs, and builds C once it has that. */
describeFresh(VARIANTS[0], {}, (run) => {
  test('./kubexm sets itself up with what Debian has', { timeout: 10 * MINUTE }, async () => {
    const said = await run('node --version && ./kubexm version');
    expect(said).toMatch(/^v18\.[\s\S]*Node v18\.\S+ is too old[\s\S]*^kubexm \d+\.\d+\.\d+$[\s\S]*ended with 0$/m);
    expect(await run('./kubexm version')).toMatch(/^kubexm \S+\n\nended with 0$/);
  });

  test('what building from source needs is listed at once, and is enough', { timeout: 20 * MINUTE }, async () => {
    const download = 'KUBEXM_SOURCES=go ./kubexm download artifacts -f /root/cluster.yaml';
    const refused = await run(`./kubexm generate config >/root/cluster.yaml && ${download}`);
    expect(refused).toMatch(/KX7042[\s\S]*ended with 4$/);
    const command = /apt-get .*$/m.exec(refused)?.[0] ?? '';
    for (const name of ['gcc', 'libc6-dev', 'libseccomp-dev', 'pkg-config']) {
      expect(refused).toContain(name);
      expect(command).toContain(` ${name}`);
    }
    expect(await run(`export DEBIAN_FRONTEND=noninteractive\n${command}`)).toMatch(/ended with 0$/);
    const built = await run('runc=$(node_modules/.bin/node test/rig/fresh/build-program.ts runc) && "$runc" --version');
    expect(built).toMatch(/runc version 1\.[\s\S]*libseccomp: [\s\S]*ended with 0$/);
  });
});

const why = thorough ? undefined : 'needs an hour: npm run test:lab';
/** The first machine builds all from source, as somebody does who runs kubexm for the first time; the others are given the result. */
for (const variant of VARIANTS) {
  describeFresh(variant, { why, ...(variant === VARIANTS[0] ? {} : { copies: sharedArtifacts() }) }, (run) => {
    test('the first command of the README: a cluster, and nothing of it left', { timeout: 60 * MINUTE }, async () => {
      try {
        expect(await run('./kubexm quickstart')).toMatch(/ended with 0$/);
      } finally {
        expect(await run('./kubexm quickstart --delete --yes')).toMatch(/ended with 0$/);
      }
      expect(await run('./kubexm lab list')).not.toContain('quickstart');
    });

    test('the second: the tests', { timeout: 120 * MINUTE }, async () => {
      expect(await run('npm ci && npm test')).toMatch(/\n[1-9]\d* passed, 0 failed, \d+ skipped\n+ended with 0$/);
    });
  });
}
