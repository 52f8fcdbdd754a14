import { chownSync, mkdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { file, managedBlock } from '../../src/step/generic/index.ts';
import { BINARY, expectFile, ODD, put, type StateCase } from './case.ts';

const TRICKY_TEXT = `'single' "double" $HOME \`id\` \\n \\ %s\nKXG_END\n\ttab and trailing space \n`;

/** Files and blocks in them. */
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

/** Situations of files with text in them. */
export const textCases: readonly StateCase[] = [...files, ...blocks];
