import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { captureMachine, type MachineSnapshot } from '../../src/lab/diff/index.ts';
import { bundleChanges, furnishing } from '../integration/manifest-fleet.ts';
import { type Driven, driven } from '../rig/driven.ts';
import { randoms, seed, thorough } from '../rig/thorough.ts';
import { configBehind, LOGIN } from './behind-bastion.ts';
import { changesOn } from './changes.ts';
import { describeLab, type TestLab, withLab } from './fixture.ts';

const ROOT = '/srv/changes';
const GROUPS = 17;
/** The first machine is the bastion. */
const NODES = [2, 3] as const;
const KILLS = thorough ? 12 : 3;

/** Two machines, behind a bastion and a sudo password, are changed by runs that are killed, changed by others, and reset by runs that are killed. */
describeLab('a manifest of 200 changes of all kinds', () => {
  let lab: TestLab;
  let dir: string;
  let before: readonly MachineSnapshot[];

  beforeAll(async () => {
    lab = await withLab(3, LOGIN);
    dir = mkdtempSync(join(tmpdir(), 'kubexm-lab-manifest-'));
    await bundleChanges(join(dir, 'drive.mjs'));
    writeFileSync(join(dir, 'cluster.yaml'), await configBehind(lab, 'changes'));
    await Promise.all(NODES.map((node) => lab.exec(node, `${furnishing(ROOT, GROUPS)}; apt-get -qq update`)));
    const names = await Promise.all(NODES.map(async (node) => (await lab.machine(node)).name));
    before = await Promise.all(names.map((name) => captureMachine(name, { env: lab.env })));
  }, 600_000);
  afterAll(async () => {
    await lab?.close();
    rmSync(dir, { recursive: true, force: true });
  }, 120_000);

  /** Runs until the end, or until it is killed some time after it has begun. */
  function drive(what: 'change' | 'reset', resume: boolean, killAfterMs?: number): Promise<Driven> {
    const names = before.map(({ machine }) => machine);
    const params = what === 'reset' ? { nodes: names } : { root: ROOT, groups: GROUPS, version: 1, system: true };
    const words = [what, join(dir, 'cluster.yaml'), dir, JSON.stringify(params), JSON.stringify({ resume })];
    return driven([join(dir, 'drive.mjs'), ...words], {
      onEvent: (event, child) => {
        if (event.type === 'run-started' && killAfterMs !== undefined) {
          setTimeout(() => child.kill('SIGKILL'), killAfterMs);
        }
      },
    });
  }

  /** Kills at random moments, each followed by a resumed run that is killed too; then one that may end. */
  async function inPieces(what: 'change' | 'reset', wholeMs: number): Promise<Driven> {
    let begun = false;
    for (const random of randoms(KILLS)) {
      const one = await drive(what, begun, random * wholeMs);
      if (one.report?.outcome === 'succeeded') return one;
      expect(one.error, `seed ${seed}: ${one.error?.message} ${one.error?.detail}`).toBeUndefined();
      begun = true;
    }
    return await drive(what, begun);
  }

  const good = (run: Driven) => [run.report?.outcome, run.error?.message, JSON.stringify(run.report?.failures ?? [])];
  const messages = (run: Driven) =>
    run.events.flatMap((event) =>
      event.type === 'node-report' && event.report.type === 'left' ? [event.report.text] : [],
    );
  const differences = async () => Promise.all(before.map((since) => changesOn(since.machine, { env: lab.env, since })));

  test('killed at random moments and reset: the machines are as before, with what others did', {
    timeout: 900_000,
  }, async () => {
    const made = await inPieces('change', 12_000);
    expect(good(made), `seed ${seed}`).toEqual(['succeeded', undefined, '[]']);
    for (const i of NODES) {
      expect(Number(await lab.exec(i, 'ls /var/lib/kubexm/manifest/entries | wc -l'))).toBeGreaterThan(200);
      const state = await lab.exec(
        i,
        'systemctl is-active kx-demo; hostname; dpkg -l chrony systemd-timesyncd | grep -c ^ii',
      );
      expect(state).toBe('active\nkx-renamed\n1\n');
    }
    expect((await differences()).every((lines) => lines.length > 100)).toBe(true);

    await lab.exec(
      NODES[0],
      `cd ${ROOT} && echo theirs >g3/conf && echo '10.9.9.9 theirs' >>g4/hosts && echo new >g5/deep/er/theirs && rm g6/made &&
      useradd --system --no-create-home theirs && rm -f /etc/passwd- /etc/shadow- /etc/group- /etc/gshadow-`,
    );
    const reset = await inPieces('reset', 6_000);
    expect(good(reset), `seed ${seed}`).toEqual(['succeeded', undefined, '[]']);
    const [first = [], second] = await differences();
    expect(second, `seed ${seed}`).toEqual([]);
    const dated = first.map((line) => line.replace(/\d{8}$/, 'DATE'));
    expect(dated.filter((line) => line.includes(ROOT)).sort(), `seed ${seed}`).toEqual([
      `added file ${ROOT}/g3/conf.kubexm-kept-DATE`,
      `added file ${ROOT}/g5/deep`,
      `added file ${ROOT}/g5/deep/er`,
      `added file ${ROOT}/g5/deep/er/theirs`,
      `changed file ${ROOT}/g4/hosts`,
    ]);
    const rest = dated.filter((line) => !line.includes(ROOT));
    expect(
      rest.filter((line) => !/ (user|group) theirs$|file \/etc\/(passwd|shadow|group|gshadow)-?$/.test(line)),
      `seed ${seed}`,
    ).toEqual([]);
    expect(rest).toContain('added user theirs');
    expect(messages(reset).join('\n')).toContain(`${ROOT}/g3/conf was changed by somebody else`);
  });
});
