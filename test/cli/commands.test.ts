import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import manifest from '../../package.json' with { type: 'json' };
import { recordContext } from '../../src/index.ts';
import { BASE } from '../configs/cases.ts';
import { call, cli, tempDir } from './rig/cli.ts';

test('version in every format', async () => {
  const said = async (...args: string[]) => (await call(['version', ...args])).stdout;
  expect(await said()).toBe(`kubexm ${manifest.version}\n`);
  expect((await cli(['--version'])).stdout).toBe(`kubexm ${manifest.version}\n`);
  expect(JSON.parse(await said('-o', 'json'))).toMatchObject({
    version: manifest.version,
    node: process.versions.node,
  });
  expect(parse(await said('-o', 'yaml'))).toMatchObject({ version: manifest.version });
  expect(await said('-o', 'wide')).toContain(process.versions.node);
  expect(await said('-o', 'name')).toBe(`${manifest.version}\n`);
});

test('explain: one code in both languages, all of them, for programs', async () => {
  const en = await call(['explain', 'kx4011']);
  expect(en).toMatchObject({ code: 0, stderr: '' });
  expect(en.stdout).toContain('KX4011 host <host> was lost: <reason>');
  expect(en.stdout).toContain('Exit code\n  7');
  expect((await call(['explain', 'KX4011', '--lang', 'zh'])).stdout).toContain('失去联系');
  const all = JSON.parse((await call(['explain', '-o', 'json'])).stdout) as {
    code: string;
    exit: number;
    title: object;
  }[];
  expect(all.length).toBeGreaterThan(50);
  expect(all.map(({ code }) => code)).toEqual(all.map(({ code }) => code).sort());
  expect((await call(['explain', '-o', 'name'])).stdout.split('\n')).toContain('KX1001');
});

test('generate config: what it writes is valid; it overwrites only when told', async () => {
  const cwd = tempDir();
  const written = await call(['generate', 'config', '--nodes', '4', '-o', 'c.yaml'], { cwd });
  expect(written).toMatchObject({ code: 0, stdout: '' });
  expect(written.stderr).toContain('kubexm validate config -f c.yaml');
  const valid = await cli(['validate', 'config', '-f', 'c.yaml'], { cwd });
  expect(valid).toMatchObject({ code: 0, stdout: '✓ c.yaml is valid: cluster mycluster, 4 hosts\n', stderr: '' });
  const before = readFileSync(join(cwd, 'c.yaml'), 'utf8');
  const again = await call(['generate', 'config', '-o', 'c.yaml'], { cwd });
  expect(again.code).toBe(64);
  expect(again.stderr).toContain('KX1030 c.yaml exists already');
  expect(readFileSync(join(cwd, 'c.yaml'), 'utf8')).toBe(before);
  expect(await call(['generate', 'config', '-o', 'c.yaml', '--force'], { cwd })).toMatchObject({ code: 0 });
  expect(readFileSync(join(cwd, 'c.yaml'), 'utf8')).not.toBe(before);
});

test('generate config --full: every field, on stdout, and valid', async () => {
  const cwd = tempDir();
  const { code, stdout } = await call(['generate', 'config', '--full'], { cwd });
  expect(code).toBe(0);
  writeFileSync(join(cwd, 'full.yaml'), stdout);
  expect(await call(['validate', 'config', '-f', join(cwd, 'full.yaml'), '-o', 'name'])).toMatchObject({
    code: 0,
    stdout: 'mycluster\n',
  });
});

test('generate config into a directory that is not there', async () => {
  const { code, stderr } = await call(['generate', 'config', '-o', 'no/where/c.yaml'], { cwd: tempDir() });
  expect(code).toBe(1);
  expect(stderr).toContain('KX1031 cannot write no/where/c.yaml');
});

const BROKEN = `apiVersion: kubexm.mensylisir.io/v1alpha1
kind: Cluster
metadata:
  name: demo
spec:
  kubernets:
    version: v1.33.2
  hosts:
    - {name: node1, adress: 10.0.0.1}
`;

test('validate config: all problems with their place, exit code 3', async () => {
  const cwd = tempDir();
  writeFileSync(join(cwd, 'bad.yaml'), BROKEN);
  const { code, stdout, stderr } = await cli(['validate', 'config', '-f', 'bad.yaml'], { cwd });
  expect({ code, stdout }).toEqual({ code: 3, stdout: '' });
  expect(stderr).toContain('bad.yaml:6:3: error KX');
  expect(stderr).toContain('kubernetes');
  expect(stderr).toContain('bad.yaml:9:21');
  expect(stderr).toMatch(/bad\.yaml: \d+ errors/);
  const asJson = await call(['validate', 'config', '-f', join(cwd, 'bad.yaml'), '-o', 'json', '--lang', 'zh']);
  const { valid, errors, problems } = JSON.parse(asJson.stdout);
  expect(asJson.code).toBe(3);
  expect({ valid, errors }).toEqual({ valid: false, errors: problems.length });
  expect(problems[0]).toMatchObject({
    line: 6,
    column: 3,
    severity: 'error',
    message: expect.stringMatching(/[\u4e00-\u9fff]/),
  });
});

test('validate config: a file that is not there', async () => {
  const { code, stderr } = await call(['validate', 'config', '-f', join(tempDir(), 'none.yaml')]);
  expect(code).toBe(3);
  expect(stderr).toContain('KX2001');
});

test('generate schema: a JSON Schema, also as YAML', async () => {
  const { stdout } = await call(['generate', 'schema']);
  expect(JSON.parse(stdout)).toMatchObject({ type: 'object' });
  expect(parse((await call(['generate', 'schema', '-o', 'yaml'])).stdout)).toEqual(JSON.parse(stdout));
});

test('contexts: none, listed, chosen, viewed', async () => {
  const home = tempDir();
  const env = { KUBEXM_HOME: home };
  const none = await call(['config', 'get-contexts'], { env });
  expect(none).toMatchObject({ code: 0, stdout: '' });
  expect(none.stderr).toContain('No cluster is known yet');
  expect((await call(['config', 'get-contexts', '-o', 'json'], { env })).stdout).toBe('[]\n');

  for (const name of ['prod', 'test']) recordContext(env, { name, configFile: `/srv/${name}.yaml`, baseDir: '/srv' });
  const listed = await call(['config', 'get-contexts'], { env });
  expect(listed.stdout).toBe(
    'CURRENT   NAME   FILE\n*         prod   /srv/prod.yaml\n          test   /srv/test.yaml\n',
  );
  expect((await call(['config', 'get-contexts', '-o', 'name'], { env })).stdout).toBe('prod\ntest\n');

  const wrong = await call(['config', 'use-context', 'tets'], { env });
  expect(wrong.code).toBe(64);
  expect(wrong.stderr).toContain('Did you mean test?');
  expect(await call(['config', 'use-context', 'test'], { env })).toMatchObject({ code: 0, stdout: '' });
  expect(parse((await call(['config', 'view'], { env })).stdout)).toMatchObject({
    file: join(home, 'config'),
    currentContext: 'test',
  });
});

test('the current context stands in for -f', async () => {
  const cwd = tempDir();
  const env = { KUBEXM_HOME: join(cwd, 'home') };
  await call(['generate', 'config', '-o', 'c.yaml'], { cwd });
  recordContext(env, { name: 'mycluster', configFile: join(cwd, 'c.yaml'), baseDir: cwd });
  const elsewhere = { cwd: tempDir(), env };
  expect(await call(['validate', 'config', '-o', 'name'], elsewhere)).toMatchObject({ code: 0, stdout: 'mycluster\n' });
  expect(await call(['validate', 'config', '-c', 'mycluster', '-o', 'name'], elsewhere)).toMatchObject({ code: 0 });
});

test('generate docs: every page, the same each time; --check names what is stale', async () => {
  const cwd = tempDir();
  const first = await call(['generate', 'docs'], { cwd });
  const files = readdirSync(join(cwd, 'docs/reference')).sort();
  expect(first.code).toBe(0);
  expect(files).toEqual([
    'README.md',
    'cli.md',
    'config.md',
    'errors.md',
    'modules.md',
    'pipelines.md',
    'steps.md',
    'tasks.md',
  ]);
  expect(first.stdout.trim().split('\n')).toEqual(
    expect.arrayContaining(files.map((file) => `docs/reference/${file}`)),
  );
  expect(await call(['generate', 'docs', '--check'], { cwd })).toMatchObject({ code: 0, stdout: '' });
  expect(await call(['generate', 'docs'], { cwd })).toMatchObject({ code: 0, stdout: '' });

  writeFileSync(join(cwd, 'docs/reference/cli.md'), 'by hand');
  writeFileSync(join(cwd, 'docs/reference/old.md'), readFileSync(join(cwd, 'docs/reference/tasks.md')));
  writeFileSync(join(cwd, 'docs/reference/mine.md'), '# not generated\n');
  const stale = await call(['generate', 'docs', '--check'], { cwd });
  expect(stale.code).toBe(1);
  expect(stale.stderr).toContain('KX1032 2 reference pages are stale: docs/reference/cli.md, docs/reference/old.md');
  expect(stale.stderr).toContain('kubexm generate docs');
  expect(readFileSync(join(cwd, 'docs/reference/cli.md'), 'utf8')).toBe('by hand');

  expect(await call(['generate', 'docs'], { cwd })).toMatchObject({ code: 0 });
  expect(existsSync(join(cwd, 'docs/reference/old.md'))).toBe(false);
  expect(existsSync(join(cwd, 'docs/reference/mine.md'))).toBe(true);
});

test('generate docs: in another directory and language the pages are the same', async () => {
  const cwd = tempDir();
  mkdirSync(join(cwd, 'a'));
  await call(['generate', 'docs', '--out', 'a'], { cwd });
  await cli(['generate', 'docs', '--out', 'b', '--lang', 'zh'], { cwd, env: { TZ: 'Asia/Shanghai', COLUMNS: '40' } });
  for (const file of readdirSync(join(cwd, 'a'))) {
    expect(readFileSync(join(cwd, 'b', file), 'utf8'), file).toBe(readFileSync(join(cwd, 'a', file), 'utf8'));
  }
});

test('-e holds for what looks at a cluster, too', async () => {
  const cwd = tempDir();
  const file = join(cwd, 'c.yaml');
  writeFileSync(file, BASE);
  const field = ['-f', file, '-e', 'hosts[node1].address=10.9.9.9', '-e', 'kubernetes.version=v1.33.2'];
  const read = async (...words: string[]) =>
    JSON.parse((await call([...words, ...field, '-o', 'json'], { cwd, env: { XDG_CACHE_HOME: cwd } })).stdout);
  expect(await read('get', 'nodes')).toContainEqual(expect.objectContaining({ name: 'node1', address: '10.9.9.9' }));
  expect(await read('describe', 'cluster')).toMatchObject({ kubernetesVersion: 'v1.33.2' });
  expect(await read('get', 'artifacts')).toContainEqual(expect.objectContaining({ version: '1.33.2' }));
  const wrong = ['-e', 'kubernetes.versoin=v1.33.2'];
  for (const words of [
    ['delete', 'cluster', '--yes'],
    ['check', 'cluster'],
    ['reset', 'nodes', '--yes'],
    ['validate', 'config'],
  ])
    expect(await call([...words, '-f', file, ...wrong], { cwd })).toMatchObject({
      code: 3,
      stderr: expect.stringContaining('versoin'),
    });
});
