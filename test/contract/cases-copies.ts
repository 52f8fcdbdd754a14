import { createHash } from 'node:crypto';
import { mkdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { checkedCommand, copy, download, onceCommand, upload, uploads } from '../../src/step/generic/index.ts';
import { BINARY, digestOf, expectFile, ODD, put, type StateCase } from './case.ts';

/** Situations of files that come from elsewhere. */
export const copyCases: readonly StateCase[] = [
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
    name: 'some new, one over another, one there',
    step: uploads.definition,
    before: (t, w) => {
      for (const name of ['a', 'b', ODD]) put(join(w, name), `${name} here`);
      put(join(t, 'a'), 'old', 0o600);
      put(join(t, 'b'), 'b here', 0o755);
    },
    want: (t, w) => ({
      directory: t,
      files: Object.fromEntries(
        ['a', 'b', ODD].map((name) => [name, { path: join(w, name), sha256: digestOf(join(w, name)) }]),
      ),
      mode: '0755',
    }),
    after: (t) => expectFile(join(t, ODD), `${ODD} here`),
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

/** Situations of commands. */
export const commandCases: readonly StateCase[] = [
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
  {
    name: 'with a file of its own, which is gone afterwards',
    step: onceCommand.definition,
    want: (t) => ({
      name: 'example',
      purpose: 'an example',
      run: 'cat -- "$KX_CONFIG" >f',
      config: "it's $HOME",
      undo: ['rm', '-f', join(t, 'f')],
      traces: [join(t, 'f')],
      cwd: t,
    }),
    after: (t) => expectFile(join(t, 'f'), "it's $HOME"),
  },
];
