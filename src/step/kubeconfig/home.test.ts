import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readlinkSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeEach, describe, expect, test } from 'vitest';
import { ShellHost, variants } from '../../../test/contract/shell-host.ts';
import type { Script } from '../../model/script.ts';
import type { StepIo } from '../../plan/step.ts';
import { type HomeKubeconfig, homeKubeconfig, tellLeft } from './home.ts';

const scratch = mkdtempSync(join(tmpdir(), 'kubexm-home-'));
afterAll(() => rmSync(scratch, { recursive: true, force: true }));

const conf = (key: string, ca = 'QUJD') => `clusters:
- cluster:
    certificate-authority-data: ${ca}
users:
- user:
    client-certificate-data: ${key}
    client-key-data: ${key}
`;
const { probe, judge, apply } = homeKubeconfig.definition;
const me = userInfo().username;

describe.each(variants(scratch))('a kubeconfig in a home, in $name', (variant) => {
  let dir: string;
  let source: string;
  let host: ShellHost;
  let count = 0;
  beforeEach(() => {
    const place = join(scratch, `${variant.name}-${count++}`);
    dir = join(place, '.kube');
    source = join(place, 'admin.conf');
    mkdirSync(dir, { recursive: true });
    writeFileSync(source, conf('a2V5'), { mode: 0o600 });
    host = new ShellHost(variant, place);
  });

  const want = (user: string): HomeKubeconfig => ({ dir, user, source });
  const look = async (user: string) => judge!(await host.run(probe!(want(user))), want(user));
  const make = async (user: string) => {
    const ended = await host.run(apply(host, want(user), {} as StepIo) as Script);
    expect(ended, ended.stderr).toMatchObject({ code: 0 });
  };
  const ours = { verdict: 'satisfied', output: { left: '' } };
  const theirs = () => ({ verdict: 'satisfied', output: { left: join(dir, 'config') } });

  test('root has a link, which follows the original', async () => {
    expect(await look('root')).toMatchObject({ verdict: 'needed' });
    await make('root');
    expect(readlinkSync(join(dir, 'config'))).toBe(source);
    writeFileSync(source, conf('bmV3'));
    expect(await look('root')).toEqual(ours);
  });

  // Only root may give a file to a user called root; whoever runs this may have a copy.
  const copies = me === 'root' ? 'nobody' : me;
  test.skipIf(me !== 'root')('others have a copy of their own, made again when the original is renewed', async () => {
    expect(await look(copies)).toMatchObject({ verdict: 'needed' });
    await make(copies);
    const file = join(dir, 'config');
    expect(lstatSync(file).isFile()).toBe(true);
    expect(readFileSync(file, 'utf8')).toBe(conf('a2V5'));
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(statSync(file).uid).toBeGreaterThan(0);
    expect(statSync(dir).uid).toBe(statSync(file).uid);
    expect(await look(copies)).toEqual(ours);
    writeFileSync(source, conf('bmV3'));
    expect(await look(copies)).toMatchObject({ verdict: 'needed', diff: [{ from: 'an older copy' }] });
    await make(copies);
    expect(await look(copies)).toEqual(ours);
    chmodSync(file, 0o644);
    expect(await look(copies)).toMatchObject({ verdict: 'needed' });
  });

  test.each<[string, string, (file: string) => void]>([
    ['another file', 'root', (file) => writeFileSync(file, conf('a2V5', 'b3RoZXI='))],
    ['a copy that somebody made for root', 'root', (file) => writeFileSync(file, conf('a2V5'))],
    ['another link', 'root', (file) => symlinkSync('/elsewhere', file)],
    ['a link of a user', 'nobody', (file) => symlinkSync('/elsewhere', file)],
    ['another cluster', 'nobody', (file) => writeFileSync(file, conf('a2V5', 'b3RoZXI='))],
    ['a directory', 'nobody', (file) => mkdirSync(file)],
  ])('%s is left alone', async (_, user, put) => {
    put(join(dir, 'config'));
    expect(await look(user)).toEqual(theirs());
  });

  test('what is in the directory already keeps its owner, and nothing stays behind', async () => {
    writeFileSync(join(dir, 'other'), '');
    await make('root');
    expect(existsSync(join(dir, 'other'))).toBe(true);
    expect(statSync(dir).uid).toBe(process.getuid?.());
  });
});

test('what is left alone is told in the reader’s language, and nothing else is', async () => {
  const said: string[] = [];
  const tell = (left: string, lang?: 'zh') =>
    tellLeft.definition.apply({ name: 'cp1' } as never, { left }, {
      say: (text: string) => void said.push(text),
      ...(lang ? { lang } : {}),
    } as unknown as StepIo);
  await tell('');
  await tell('/root/.kube/config');
  await tell('/root/.kube/config', 'zh');
  expect(said).toHaveLength(2);
  expect(said[0]).toContain('cp1: KX4704 /root/.kube/config is not kubexm’s: it is left alone\n→ For this cluster');
  expect(said[1]).toContain('保持不变');
});
