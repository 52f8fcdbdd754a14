import { chmodSync, mkdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { extract } from '../../src/step/generic/index.ts';
import { BINARY, digestOf, expectFile, put, run, type StateCase } from './case.ts';

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

function toolsFor(name: string): readonly string[] {
  if (name.endsWith('.zip')) return ['zip', 'unzip'];
  return name.endsWith('.zst') ? ['zstd'] : name.endsWith('.xz') ? ['xz'] : [];
}

function unpacked(name: string, more: Partial<StateCase> & { readonly options?: object } = {}): StateCase {
  return {
    name,
    step: extract.definition,
    needs: toolsFor(name),
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

/** Situations of archives. */
export const archiveCases: readonly StateCase[] = [
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
