import { chmodSync, chownSync, mkdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { directory, mode, remove, symlink } from '../../src/step/generic/index.ts';
import { BINARY, expectFile, ODD, put, type StateCase } from './case.ts';

/** Situations of directories, links, modes and what has to go. */
export const placeCases: readonly StateCase[] = [
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
    before: (t) => {
      mkdirSync(join(t, 'dir'));
      put(join(t, 'l'), BINARY, 0o600);
    },
    want: (t) => ({ path: join(t, 'l'), target: 'dir' }),
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
