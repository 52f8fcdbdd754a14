import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { chmodSync, mkdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { SupplyIo } from '../../src/artifacts/cache/types.ts';
import type { Arch, MadeImage } from '../../src/model/catalog/schema.ts';
import { componentSchema } from '../../src/model/catalog/schema.ts';

/** The least that is a static program for a processor, with a text in it. */
export function fakeProgram(arch: Arch, text: string): Buffer {
  const head = Buffer.alloc(64);
  head.set([0x7f, 0x45, 0x4c, 0x46, 2, 1, 1]);
  head.writeUInt16LE(2, 16);
  head.writeUInt16LE(arch === 'amd64' ? 62 : 183, 18);
  return Buffer.concat([head, Buffer.from(text)]);
}

/** What an image is made of, with the catalog's own defaults. */
export function madeOf(fields: Record<string, unknown>): MadeImage {
  const { images } = componentSchema.parse({
    component: 'sample',
    title: 'Sample',
    group: 'tool',
    upstream: 'https://example.com',
    images: [{ name: 'sample', repository: 'example.com/sample', tag: 'v1', made: fields }],
  });
  return images[0]!.made!;
}

/** What a supply may use, and what it said. */
export function supplyIo(
  env: NodeJS.ProcessEnv = process.env,
  signal: AbortSignal = new AbortController().signal,
): SupplyIo & { readonly said: string[] } {
  const said: string[] = [];
  return { signal, env, said, progress: () => undefined, say: (text) => void said.push(text) };
}

/** What a tar in a file has, as the program tar lists it. */
export function listTar(file: string): readonly string[] {
  const { stdout, status } = spawnSync('tar', ['-tf', file]);
  if (status !== 0) throw new Error(`tar cannot read ${file}`);
  return stdout.toString().trim().split('\n');
}

/** Unpacks the layers of an image's tar, one over the other, and returns its configuration. */
export function unpackImage(
  file: string,
  dir: string,
): { readonly root: string; readonly config: Record<string, unknown> } {
  const [layout, root] = [join(dir, 'layout'), join(dir, 'root')];
  for (const path of [layout, root]) mkdirSync(path, { recursive: true });
  must('tar', ['-xf', file, '-C', layout]);
  const [image] = JSON.parse(readFileSync(join(layout, 'manifest.json'), 'utf8')) as [
    { Config: string; Layers: string[] },
  ];
  for (const layer of image.Layers) must('tar', ['-xpf', join(layout, layer), '-C', root, '--no-same-owner']);
  return { root, config: JSON.parse(readFileSync(join(layout, image.Config), 'utf8')) as Record<string, unknown> };
}

/** A package for the small repository. */
export interface FakePackage {
  readonly name: string;
  readonly version: string;
  readonly section?: string;
  readonly depends?: string;
  /** Paths, and what is in them. One that begins with `->` is a link. */
  readonly files: Readonly<Record<string, string | Buffer>>;
}

/** Makes a repository of packages for both processors, and the settings of an apt that knows nothing else. */
export function fakeRepository(
  dir: string,
  packages: readonly FakePackage[],
  options = '[trusted=yes]',
): NodeJS.ProcessEnv {
  const etc = join(dir, 'etc');
  const repository = join(dir, 'repository');
  mkdirSync(join(etc, 'apt/sources.list.d'), { recursive: true });
  mkdirSync(repository, { recursive: true });
  const indexes = (['amd64', 'arm64'] as const).map((arch) => {
    const stanzas = packages.map((one) => buildPackage(dir, repository, one, arch));
    return { arch, text: `${stanzas.join('\n')}\n` };
  });
  const lines = indexes.map(({ arch, text }) => {
    const path = `main/binary-${arch}/Packages`;
    const file = join(repository, 'dists/test', path);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text);
    return ` ${sha256(Buffer.from(text))} ${Buffer.byteLength(text)} ${path}`;
  });
  const date = new Date().toUTCString().replace('GMT', 'UTC');
  writeFileSync(
    join(repository, 'dists/test/Release'),
    `Suite: test\nCodename: test\nDate: ${date}\nArchitectures: amd64 arm64\nComponents: main\nSHA256:\n${lines.join('\n')}\n`,
  );
  writeFileSync(join(etc, 'apt/sources.list'), `deb ${options} file:${repository} test main\n`);
  // A hook that would leave a trace, were it run.
  writeFileSync(
    join(dir, 'apt.conf'),
    `Dir::Etc "${etc}/apt";\nDir::Etc::parts "${etc}/none";\nAPT::Update::Post-Invoke { "touch ${dir}/hook-was-run"; };\n`,
  );
  return { PATH: process.env['PATH'] ?? '', HOME: dir, APT_CONFIG: join(dir, 'apt.conf') };
}

function buildPackage(dir: string, repository: string, one: FakePackage, arch: Arch): string {
  const tree = join(dir, 'build', arch, one.name, one.version);
  for (const [path, content] of Object.entries(one.files)) {
    const file = join(tree, path);
    mkdirSync(dirname(file), { recursive: true });
    if (typeof content === 'string' && content.startsWith('->')) symlinkSync(content.slice(2), file);
    else writeFileSync(file, content);
    if (/(^|\/)bin\//.test(path)) chmodSync(file, 0o4755);
  }
  const control = [
    `Package: ${one.name}`,
    `Version: ${one.version}`,
    `Architecture: ${arch}`,
    `Section: ${one.section ?? 'net'}`,
    'Maintainer: Nobody <nobody@example.com>',
    ...(one.depends === undefined ? [] : [`Depends: ${one.depends}`]),
    'Description: for tests',
  ];
  mkdirSync(join(tree, 'DEBIAN'), { recursive: true });
  writeFileSync(join(tree, 'DEBIAN/control'), `${control.join('\n')}\n`);
  // A maintainer script that would be noticed.
  writeFileSync(join(tree, 'DEBIAN/postinst'), `#!/bin/sh\ntouch ${dir}/script-was-run\n`, { mode: 0o755 });
  const name = `${one.name}_${one.version.replace(/^\d+:/, '')}_${arch}.deb`;
  const file = join(repository, name);
  must('dpkg-deb', ['--root-owner-group', '-Znone', '--build', tree, file]);
  const data = readFileSync(file);
  return `${[...control, `Filename: ${name}`, `Size: ${statSync(file).size}`, `SHA256: ${sha256(data)}`].join('\n')}\n`;
}

function sha256(data: Buffer): string {
  return createHash('sha256').update(data).digest('hex');
}

function must(command: string, args: readonly string[]): void {
  const { status, stderr, error } = spawnSync(command, args);
  if (status !== 0) throw new Error(`${command}: ${error?.message ?? stderr.toString()}`);
}
