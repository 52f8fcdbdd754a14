import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { chmodSync, chownSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { AnyStep } from '../../src/plan/step.ts';
import {
  checkedCommand,
  copy,
  directory,
  download,
  extract,
  file,
  managedBlock,
  mode,
  remove,
  symlink,
  upload,
} from '../../src/step/generic/index.ts';

/** One situation that a state step meets, and what it must make of it. */
export interface StateCase {
  readonly name: string;
  readonly step: AnyStep;
  /** Makes the situation. `tree` is what is compared; `work` is for sources. */
  readonly before?: (tree: string, work: string) => void;
  readonly want: (tree: string, work: string, url: string) => unknown;
  /** What the result must be, beyond what the probe says. */
  readonly after?: (tree: string) => void;
  readonly needsRoot?: boolean;
  /** Tools that busybox does not have. */
  readonly notBusybox?: boolean;
}

/** A name with everything in it that a careless script trips over. */
export const ODD = '-o\'dd "na\\me" $HOME `id` * ü 世界\nsecond line ';

/** Bytes that are no text. */
export const BINARY = Buffer.from([0, 255, 10, 13, 0, 195, 40, 39, 34, 92, 10]);

export const root = process.getuid?.() === 0;

function expectFile(path: string, content: string | Uint8Array): void {
  const found = readFileSync(path);
  if (!found.equals(Buffer.from(content as string)))
    throw new Error(`${JSON.stringify(path)} holds ${JSON.stringify(found.toString())}`);
}

/** The sha256 of a file. */
export function digestOf(path: string): string {
  return createHash('sha256').update(readFileSync(path)).digest('hex');
}

function put(path: string, content: string | Uint8Array, bits = 0o644): void {
  writeFileSync(path, content);
  chmodSync(path, bits);
}

function run(command: string, args: readonly string[], cwd: string): void {
  const done = spawnSync(command, args, { cwd });
  if (done.status !== 0) throw new Error(`${command}: ${done.stderr}`);
}

const TRICKY_TEXT = `'single' "double" $HOME \`id\` \\n \\ %s\nKXG_END\n\ttab and trailing space \n`;

const files: readonly StateCase[] = [
  {
    name: 'new',
    step: file.definition,
    want: (t) => ({ path: join(t, 'a'), content: TRICKY_TEXT }),
    after: (t) => expectFile(join(t, 'a'), TRICKY_TEXT),
  },
  {
    name: 'odd name, no last line end',
    step: file.definition,
    want: (t) => ({ path: join(t, ODD), content: 'x', mode: '0600' }),
    after: (t) => expectFile(join(t, ODD), 'x'),
  },
  {
    name: 'bytes',
    step: file.definition,
    want: (t) => ({ path: join(t, 'b'), content: { base64: BINARY.toString('base64') } }),
    after: (t) => expectFile(join(t, 'b'), BINARY),
  },
  {
    name: 'empty',
    step: file.definition,
    want: (t) => ({ path: join(t, 'e'), content: '' }),
    after: (t) => expectFile(join(t, 'e'), ''),
  },
  {
    name: 'long',
    step: file.definition,
    want: (t) => ({ path: join(t, 'long'), content: `${'0123456789abcde\n'.repeat(130_000)}` }),
  },
  {
    name: 'other content and mode',
    step: file.definition,
    before: (t) => put(join(t, 'a'), BINARY, 0o600),
    want: (t) => ({ path: join(t, 'a'), content: 'new\n', mode: '0644' }),
  },
  {
    name: 'other content, mode kept',
    step: file.definition,
    before: (t) => put(join(t, 'a'), 'old\n', 0o640),
    want: (t) => ({ path: join(t, 'a'), content: 'new\n' }),
  },
  {
    name: 'same content, other mode',
    step: file.definition,
    before: (t) => put(join(t, 'a'), 'same\n', 0o644),
    want: (t) => ({ path: join(t, 'a'), content: 'same\n', secret: true }),
  },
  {
    name: 'link to a file in the way',
    step: file.definition,
    before: (t) => {
      put(join(t, 'target'), 'keep me\n');
      symlinkSync('target', join(t, 'a'));
    },
    want: (t) => ({ path: join(t, 'a'), content: 'new\n' }),
    after: (t) => expectFile(join(t, 'target'), 'keep me\n'),
  },
  {
    name: 'link to a directory in the way',
    step: file.definition,
    before: (t) => {
      mkdirSync(join(t, 'dir'));
      symlinkSync('dir', join(t, 'a'));
    },
    want: (t) => ({ path: join(t, 'a'), content: 'new\n' }),
    after: (t) => expectFile(join(t, 'a'), 'new\n'),
  },
  {
    name: 'other owner',
    step: file.definition,
    needsRoot: true,
    before: (t) => {
      put(join(t, 'a'), 'same\n', 0o600);
      chownSync(join(t, 'a'), 1234, 4321);
    },
    want: (t) => ({ path: join(t, 'a'), content: 'same\n', owner: 'root:root' }),
  },
];

const blocks: readonly StateCase[] = [
  {
    name: 'no file',
    step: managedBlock.definition,
    want: (t) => ({ path: join(t, 'hosts'), content: '1.2.3.4 a\n' }),
    after: (t) => expectFile(join(t, 'hosts'), '# BEGIN KubeXM Managed Block\n1.2.3.4 a\n# END KubeXM Managed Block\n'),
  },
  {
    name: 'no last line end, odd bytes and name',
    step: managedBlock.definition,
    before: (t) => put(join(t, ODD), Buffer.concat([Buffer.from('first\n'), BINARY, Buffer.from('last')]), 0o600),
    want: (t) => ({ path: join(t, ODD), content: 'x=ü\ny', id: 'one' }),
  },
  {
    name: 'another block in its place',
    step: managedBlock.definition,
    before: (t) => put(join(t, 'h'), 'a\r\n# BEGIN KubeXM Managed Block\r\nold\r\n# END KubeXM Managed Block\r\nb\r\n'),
    want: (t) => ({ path: join(t, 'h'), content: 'new' }),
    after: (t) =>
      expectFile(join(t, 'h'), 'a\r\n# BEGIN KubeXM Managed Block\r\nnew\r\n# END KubeXM Managed Block\r\nb\r\n'),
  },
  {
    name: 'taken out',
    step: managedBlock.definition,
    before: (t) => put(join(t, 'h'), 'a\n# BEGIN KubeXM Managed Block\nold\n# END KubeXM Managed Block\nb'),
    want: (t) => ({ path: join(t, 'h'), content: '' }),
    after: (t) => expectFile(join(t, 'h'), 'a\nb'),
  },
  {
    name: 'through a link',
    step: managedBlock.definition,
    before: (t) => {
      put(join(t, 'real'), 'a\n', 0o640);
      symlinkSync('real', join(t, 'h'));
    },
    want: (t) => ({ path: join(t, 'h'), content: 'x' }),
    after: (t) => expectFile(join(t, 'real'), 'a\n# BEGIN KubeXM Managed Block\nx\n# END KubeXM Managed Block\n'),
  },
];

const places: readonly StateCase[] = [
  {
    name: 'new, with those above',
    step: directory.definition,
    want: (t) => ({ path: join(t, 'x', ODD, 'z'), mode: '0700' }),
  },
  {
    name: 'other mode',
    step: directory.definition,
    before: (t) => {
      mkdirSync(join(t, 'x'));
      put(join(t, 'x', 'inside'), 'stays');
      chmodSync(join(t, 'x'), 0o711);
    },
    want: (t) => ({ path: join(t, 'x'), mode: '0755' }),
  },
  {
    name: 'link to a directory, other owner',
    step: directory.definition,
    needsRoot: true,
    before: (t) => {
      mkdirSync(join(t, 'real'));
      chownSync(join(t, 'real'), 1234, 1234);
      symlinkSync('real', join(t, 'x'));
    },
    want: (t) => ({ path: join(t, 'x'), owner: '0:0' }),
  },
  { name: 'new', step: symlink.definition, want: (t) => ({ path: join(t, ODD), target: '-odd\ntarget ü' }) },
  {
    name: 'other target, to a directory',
    step: symlink.definition,
    before: (t) => {
      mkdirSync(join(t, 'dir'));
      symlinkSync('dir', join(t, 'l'));
    },
    want: (t) => ({ path: join(t, 'l'), target: 'elsewhere' }),
  },
  {
    name: 'file in the way',
    step: symlink.definition,
    before: (t) => put(join(t, 'l'), BINARY, 0o600),
    want: (t) => ({ path: join(t, 'l'), target: '/etc' }),
  },
  {
    name: 'file',
    step: remove.definition,
    before: (t) => put(join(t, ODD), BINARY, 0o4755),
    want: (t) => ({ path: join(t, ODD) }),
  },
  {
    name: 'link to a directory',
    step: remove.definition,
    before: (t) => {
      mkdirSync(join(t, 'dir'));
      put(join(t, 'dir', 'stays'), 'x');
      symlinkSync('dir', join(t, 'l'));
    },
    want: (t) => ({ path: join(t, 'l') }),
    after: (t) => expectFile(join(t, 'dir', 'stays'), 'x'),
  },
  {
    name: 'directory',
    step: remove.definition,
    before: (t) => {
      mkdirSync(join(t, 'd', ODD), { recursive: true });
      put(join(t, 'd', ODD, 'f'), BINARY, 0o600);
      symlinkSync('nowhere', join(t, 'd', 'l'));
      chmodSync(join(t, 'd'), 0o750);
    },
    want: (t) => ({ path: join(t, 'd') }),
  },
  {
    name: 'file',
    step: mode.definition,
    before: (t) => put(join(t, ODD), 'x', 0o644),
    want: (t) => ({ path: join(t, ODD), mode: '4750' }),
  },
  {
    name: 'all below',
    step: mode.definition,
    needsRoot: true,
    before: (t) => {
      mkdirSync(join(t, 'd', ODD), { recursive: true });
      put(join(t, 'd', ODD, 'f'), 'x', 0o600);
      put(join(t, 'd', 'g'), 'x', 0o640);
      put(join(t, 'outside'), 'x', 0o600);
      symlinkSync('../outside', join(t, 'd', 'l'));
      chownSync(join(t, 'd', 'g'), 77, 88);
    },
    want: (t) => ({ path: join(t, 'd'), mode: '0644', directoryMode: '0711', owner: '12:34', recursive: true }),
  },
];

const copies: readonly StateCase[] = [
  {
    name: 'file',
    step: copy.definition,
    before: (_t, w) => put(join(w, ODD), BINARY, 0o751),
    want: (t, w) => ({ source: join(w, ODD), path: join(t, ODD) }),
    after: (t) => expectFile(join(t, ODD), BINARY),
  },
  {
    name: 'file over another, with a mode',
    step: copy.definition,
    before: (t, w) => {
      put(join(w, 's'), 'new', 0o600);
      put(join(t, 'd'), 'old', 0o777);
    },
    want: (t, w) => ({ source: join(w, 's'), path: join(t, 'd'), mode: '0640' }),
  },
  {
    name: 'same content, other mode and owner',
    step: copy.definition,
    needsRoot: true,
    before: (t, w) => {
      put(join(w, 's'), 'same', 0o600);
      put(join(t, 'd'), 'same', 0o777);
    },
    want: (t, w) => ({ source: join(w, 's'), path: join(t, 'd'), owner: '1234:1234' }),
  },
  {
    name: 'directory over another',
    step: copy.definition,
    before: (t, w) => {
      mkdirSync(join(w, 's', ODD), { recursive: true });
      put(join(w, 's', ODD, 'f'), BINARY, 0o600);
      symlinkSync('nowhere', join(w, 's', 'l'));
      mkdirSync(join(t, 'd'));
      put(join(t, 'd', 'gone'), 'old', 0o777);
    },
    want: (t, w) => ({ source: join(w, 's'), path: join(t, 'd') }),
    after: (t) => expectFile(join(t, 'd', ODD, 'f'), BINARY),
  },
  {
    name: 'new',
    step: upload.definition,
    before: (_t, w) => put(join(w, ODD), BINARY),
    want: (t, w) => ({
      source: { path: join(w, ODD), sha256: digestOf(join(w, ODD)) },
      path: join(t, ODD),
      mode: '0755',
    }),
    after: (t) => expectFile(join(t, ODD), BINARY),
  },
  {
    name: 'over another',
    step: upload.definition,
    before: (t, w) => {
      put(join(w, 'f'), 'new');
      put(join(t, 'f'), 'old', 0o600);
    },
    want: (t, w) => ({
      source: { path: join(w, 'f'), sha256: digestOf(join(w, 'f')) },
      path: join(t, 'f'),
      mode: '0644',
    }),
  },
  {
    name: 'new',
    step: download.definition,
    want: (t, _w, url) => ({ urls: [`${url}/file`], path: join(t, 'd ü') }),
    after: (t) => expectFile(join(t, 'd ü'), BINARY),
  },
  {
    name: 'over another, digest known',
    step: download.definition,
    before: (t) => put(join(t, 'd'), 'old', 0o600),
    want: (t, _w, url) => ({
      urls: [`${url}/file`],
      path: join(t, 'd'),
      sha256: createHash('sha256').update(BINARY).digest('hex'),
    }),
  },
];

/** An archive with a file, a program, a link, a directory and an awkward name, below one directory. */
function archive(w: string, name: string): void {
  const top = join(w, 'pack', 'top');
  mkdirSync(join(top, 'bin', 'deep'), { recursive: true });
  put(join(top, 'bin', 'prog'), BINARY, 0o755);
  // What busybox lists of a zip is ASCII only: such an archive is refused there.
  put(join(top, 'bin', 'deep', name === 'plain.zip' ? 'plain' : "a 'b' ü"), 'text\n', 0o640);
  put(join(top, '-readme'), 'read me\n');
  if (!name.endsWith('.zip')) symlinkSync('prog', join(top, 'bin', 'alias'));
  chmodSync(join(top, 'bin'), 0o711);
  const pack = join(w, 'pack');
  if (name.endsWith('.zip')) run('zip', ['-qr', join(w, name), '.'], pack);
  else if (name.endsWith('.zst')) run('sh', ['-c', `tar -cf - . | zstd -q -o '${join(w, name)}'`], pack);
  else run('tar', [name.endsWith('.gz') ? '-czf' : name.endsWith('.xz') ? '-cJf' : '-cf', join(w, name), '.'], pack);
}

function unpacked(name: string, more: Partial<StateCase> & { readonly options?: object } = {}): StateCase {
  return {
    name,
    step: extract.definition,
    ...more,
    before: (t, w) => {
      archive(w, name);
      more.before?.(t, w);
    },
    want: (t, w) => ({
      archive: join(w, name),
      sha256: digestOf(join(w, name)),
      dest: t,
      name: 'sample',
      ...more.options,
    }),
  };
}

const archives: readonly StateCase[] = [
  unpacked('a.tar', { after: (t) => expectFile(join(t, 'top', 'bin', 'prog'), BINARY) }),
  unpacked('a b.tar.gz', {
    options: { strip: 1, owner: '0:0' },
    needsRoot: true,
    before: (t) => {
      mkdirSync(join(t, 'bin'), { mode: 0o750 });
      chmodSync(join(t, 'bin'), 0o750);
      put(join(t, 'bin', 'prog'), 'older', 0o700);
      put(join(t, 'bin', 'stranger'), 'stays', 0o600);
    },
    after: (t) => expectFile(join(t, 'bin', 'deep', "a 'b' ü"), 'text\n'),
  }),
  unpacked('a.tar.xz', {
    options: { strip: 1, members: ['bin/prog', '-readme'] },
    after: (t) => expectFile(join(t, '-readme'), 'read me\n'),
  }),
  unpacked('a.tar.zst', {
    options: { strip: 2, members: ['deep'] },
    notBusybox: true,
    after: (t) => expectFile(join(t, 'deep', "a 'b' ü"), 'text\n'),
  }),
  unpacked('plain.zip', { options: { strip: 1 }, after: (t) => expectFile(join(t, 'bin', 'deep', 'plain'), 'text\n') }),
  unpacked('a.zip', {
    options: { strip: 1 },
    notBusybox: true,
    after: (t) => expectFile(join(t, 'bin', 'deep', "a 'b' ü"), 'text\n'),
  }),
];

const commands: readonly StateCase[] = [
  {
    name: 'check',
    step: checkedCommand.definition,
    want: (t) => ({
      run: 'printf %s "$V" >f',
      check: 'test -s f && cat f',
      rollback: ['rm', '-f', 'f'],
      cwd: t,
      env: { V: "it's $HOME" },
    }),
    after: (t) => expectFile(join(t, 'f'), "it's $HOME"),
  },
  {
    name: 'creates',
    step: checkedCommand.definition,
    want: (t) => ({ run: ['touch', join(t, ODD)], creates: join(t, ODD), rollback: ['rm', join(t, ODD)] }),
  },
];

/** Every situation that the contract is tested in. */
export const stateCases: readonly StateCase[] = [...files, ...blocks, ...places, ...copies, ...archives, ...commands];
