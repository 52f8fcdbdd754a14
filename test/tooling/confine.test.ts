import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { homedir, tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { confined, withPlantedLink } from '../../scripts/confine.mjs';
import { changedInHome, ownHome, pictureOfHome } from '../../scripts/test-home.mjs';
import { testPasses } from '../../scripts/test-projects.ts';
import { library } from '../../src/host/lib/index.ts';

const repository = fileURLToPath(new URL('../..', import.meta.url));
const root = process.getuid?.() === 0;

let dir: string;
let scratch: string;
let home: string;
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'kubexm-confine-'));
  [scratch, home] = [join(dir, 'scratch'), join(dir, 'home')];
  for (const path of [scratch, join(home, '.kubexm'), join(home, '.cache')]) mkdirSync(path, { recursive: true });
  writeFileSync(join(home, '.kubexm/config'), 'mine');
});
afterEach(() => rmSync(dir, { recursive: true, force: true }));

function run(command: readonly string[] | undefined) {
  const [file = '', ...args] = command ?? [];
  const { status, stdout, stderr } = spawnSync(file, args, { encoding: 'utf8' });
  return { code: status, stdout, stderr };
}
const confine = (script: string, options: { readonly network?: boolean } = {}) =>
  // The checkout stands for all that tests may write to: it must not be the directory of the home.
  run(
    confined(['sh', '-c', script], repository, scratch, () => undefined, {
      home,
      writable: [join(home, '.cache')],
      ...options,
    }),
  );

/** What the steps under test do, with the programs of this machine and with those of a shell that has its own. */
const REMOVE = `${library}
kx_effect_remove links cni0
kx_effect_remove routes '10.66.1.0/24 dev cni0'
busybox ip link delete dev cni0
:`;

describe.runIf(root)(`tests of root (${root ? 'here' : 'needs root'})`, () => {
  it('have links and routes of their own: a cni0 outside survives them', () => {
    expect(confine(`${REMOVE}; ls /sys/class/net; ip -o link | wc -l`)).toMatchObject({ code: 0, stdout: 'lo\n1\n' });
    // They may have one of their own.
    expect(confine(`ip link add cni0 type bridge && ${REMOVE}`)).toMatchObject({ code: 0 });
  });

  it('fail if they reach the cni0 outside', () => {
    expect(run(withPlantedLink(['true']))).toMatchObject({ code: 0 });
    expect(run(withPlantedLink(['sh', '-c', 'exit 3']))).toMatchObject({ code: 3 });
    for (const script of [REMOVE, 'ip route delete 10.66.1.0/24']) {
      const { code, stderr } = run(withPlantedLink(['sh', '-c', script]));
      expect([code, stderr]).toEqual([99, expect.stringContaining('cni0 is gone')]);
    }
  });

  it('see no process of the machine, no systemd, and no other network', () => {
    const look = 'ls -d /proc/[0-9]* | wc -l; kill -0 $PPID; echo $?; ls /run; cat /proc/net/route | wc -l';
    const [processes, alive, ...rest] = confine(look).stdout.split('\n');
    expect(Number(processes)).toBeLessThan(8);
    expect([alive, rest]).toEqual(['0', ['lock', '1', '']]);
    expect(spawnSync('sleep', ['0']).status).toBe(0);
    const outside = spawnSync('sh', ['-c', 'ls -d /proc/[0-9]* | wc -l'], { encoding: 'utf8' }).stdout;
    expect(Number(outside)).toBeGreaterThan(0);
  });

  it.each([false, true])('cannot write to the home of the user, but to caches (network: %s)', (network) => {
    const script = `echo theirs >${home}/.kubexm/config; touch ${home}/new; touch ${home}/.cache/kept && touch ${scratch}/x`;
    expect(confine(script, { network })).toMatchObject({ code: 0, stderr: expect.stringContaining('Read-only') });
    expect(readFileSync(join(home, '.kubexm/config'), 'utf8')).toBe('mine');
    expect([existsSync(join(home, 'new')), existsSync(join(home, '.cache/kept'))]).toEqual([false, true]);
  });

  it('pass on how the command ended', () => {
    expect(confine('exit 7').code).toBe(7);
    expect(confine('exit 7', { network: true }).code).toBe(7);
  });
});

describe('the home of the tests', () => {
  it.runIf(process.env['KUBEXM_TEST_SUMMARY'] !== undefined)('is not that of the user (needs npm test)', () => {
    expect(homedir()).not.toBe(userInfo().homedir);
    expect(process.env['KUBEXM_HOME'] ?? '').toBe('');
  });

  it('leaves caches where they are, and nothing else leads back', () => {
    const user = { HOME: home, KUBEXM_HOME: '/k', XDG_STATE_HOME: '/s', XDG_CONFIG_HOME: '/c' };
    const own = ownHome(dir, user);
    expect(own).toMatchObject({ user: home, env: { HOME: join(dir, 'home'), XDG_CACHE_HOME: join(home, '.cache') } });
    const env = Object.fromEntries(Object.entries({ ...user, ...own.env }).filter(([, value]) => value !== undefined));
    expect(Object.keys(env).toSorted()).toEqual(['GOENV', 'GOPATH', 'HOME', 'XDG_CACHE_HOME']);
  });

  it('is compared: contents, names and modes', () => {
    const before = pictureOfHome(home);
    expect(changedInHome(home, before)).toEqual([]);
    writeFileSync(join(home, '.cache/x'), '');
    expect(changedInHome(home, before)).toEqual([]);
    mkdirSync(join(home, '.kube'));
    writeFileSync(join(home, '.kubexm/config'), 'a context more');
    expect(changedInHome(home, before)).toEqual([join(home, '.kube'), join(home, '.kubexm/config')]);
  });
});

describe('which namespaces a file runs in', () => {
  const passes = (...args: readonly string[]) =>
    testPasses(args).map(({ outside, args: words }) => [outside, ...words]);

  it('follows from its project', () => {
    expect(passes('src/host/lib/effect.test.ts')).toEqual([
      [false, '--project=process', 'src/host/lib/effect.test.ts'],
    ]);
    expect(passes('test/supply/go-real.test.ts')[0]?.slice(0, 2)).toEqual([true, '--project=build']);
    expect(passes('--project=unit', '--project', 'lab', '-t', 'a name')).toEqual([
      [false, '--project=unit', '-t', 'a name'],
      [true, '--project=lab', '-t', 'a name'],
    ]);
    expect(passes().map(([outside]) => outside)).toEqual([false, true]);
  });
});
