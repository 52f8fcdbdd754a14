import { kubexmError } from '../../model/errors/index.ts';
import type { Host, Output } from '../../model/host.ts';
import { type Script, sh } from '../../model/script.ts';
import { defineStep, needed, satisfied, type Verdict } from '../../plan/step.ts';
import { type Block, BrokenBlock, blockIn, type Found, withBlock, withoutBlock } from './lib/block.ts';
import { unified } from './lib/file-diff.ts';
import { absolute, invalid } from './lib/path.ts';
import { sha256, writeScript } from './lib/write.ts';

/** Lines of a file that kubexm owns; the rest belongs to others. */
export interface ManagedBlock {
  readonly path: string;
  /** The lines between the markers. Empty: the block is taken out. */
  readonly content: string;
  /** Tells several blocks of one file apart. */
  readonly id?: string;
  /** Where a new block goes. An existing one stays where it is. Default: end. */
  readonly at?: 'start' | 'end';
  /** What starts a comment in this file. Default: # */
  readonly comment?: string;
  /** Its lines are never shown. */
  readonly secret?: boolean;
}

const MAX_BYTES = 512 * 1024;

/** What there was of the block before. Never the rest of the file: that is nobody's business. */
interface Before {
  readonly exists: boolean;
  /** One character per byte. */
  readonly block?: Found;
  /** It was there, and nobody may write its lines down. */
  readonly hidden?: true;
  /** The file's last line had no end. */
  readonly open?: true;
}

function beforeOf(read: Read, want: ManagedBlock): Before {
  const block = blockIn(read.text, blockOf(want));
  const open = read.text !== '' && !read.text.endsWith('\n');
  return {
    exists: read.exists,
    ...(open ? { open } : {}),
    ...(block === undefined ? {} : want.secret === true ? { hidden: true as const } : { block }),
  };
}

/** Prints where the file really is, whether it is there, and its content. */
function readScript(path: string): Script {
  return sh`p=${absolute(path)}
if [ -L "$p" ]; then p=$(readlink -f -- "$p") || { echo "the link leads nowhere" >&2; exit 1; }; fi
printf '%s\\n\\0' "$p"
[ -e "$p" ] || exit 0
[ -f "$p" ] || { echo "it is not a regular file" >&2; exit 1; }
[ "$(stat -c %s -- "$p")" -le ${MAX_BYTES} ] || { echo "it is too long" >&2; exit 1; }
printf + && cat <"$p"`;
}

interface Read {
  /** After links. */
  readonly path: string;
  /** One character per byte, so that what is not UTF-8 survives. */
  readonly text: string;
  readonly exists: boolean;
}

function parseRead(output: Output, path: string): Read {
  const bytes = Buffer.from(output.bytes);
  const cut = bytes.indexOf(0);
  if (cut < 1) return { path, text: '', exists: false };
  return {
    path: bytes.toString('utf8', 0, cut - 1),
    text: bytes.toString('latin1', cut + 2),
    exists: bytes.length > cut + 1,
  };
}

function blockOf(want: ManagedBlock): Block {
  if (want.id !== undefined && /[\r\n]|^\s|\s$/.test(want.id))
    throw invalid(`${JSON.stringify(want.id)} is no name for a block`);
  const content = Buffer.from(want.content).toString('latin1').replaceAll('\r\n', '\n').replace(/\n+$/, '');
  return {
    id: want.id === undefined ? undefined : Buffer.from(want.id).toString('latin1'),
    comment: Buffer.from(want.comment ?? '#').toString('latin1'),
    lines: content === '' ? [] : content.split('\n'),
    at: want.at ?? 'end',
  };
}

function fromLatin1(text: string): string {
  return Buffer.from(text, 'latin1').toString('utf8');
}

/** Keeps a block of lines in a file of others, byte for byte beside it. Follows a link. A missing file is made as 0644. */
export const managedBlock = defineStep<ManagedBlock>()({
  kind: 'managedBlock',
  description:
    'Lines between “# BEGIN KubeXM Managed Block” and “# END KubeXM Managed Block” in a file that belongs to others.',
  title: (want) => `block${want.id === undefined ? '' : ` ${want.id}`} in ${want.path}`,
  probe: (want) => readScript(want.path),
  judge: (output, want): Verdict<Before, undefined> => {
    const what = want.id === undefined ? want.path : `${want.path} (${want.id})`;
    const read = parseRead(output, want.path);
    if (output.code !== 0) return needed({ exists: true }, [{ what, from: output.stderr.trim(), to: 'managed block' }]);
    try {
      const after = withBlock(read.text, blockOf(want));
      if (after === read.text) return satisfied();
      const before = beforeOf(read, want);
      if (want.secret === true) return needed(before, [{ what, to: 'other lines in the managed block' }]);
      return needed(before, [
        { what: read.exists ? what : `${what} (new)`, text: unified(fromLatin1(read.text), fromLatin1(after)) },
      ]);
    } catch (error) {
      if (!(error instanceof BrokenBlock)) throw error;
      return needed({ exists: true }, [{ what, from: error.message, to: 'managed block' }]);
    }
  },
  apply: async (host, want): Promise<void> => {
    const read = await readNow(host, want);
    const after = edited(host, want, read);
    if (after === read.text) return;
    await writeBack(host, want, read, Buffer.from(after, 'latin1'));
  },
  // Only the block: what others have written into the file since is theirs.
  revert: async (host, want, before): Promise<void> => {
    const read = await readNow(host, want);
    if (!read.exists) return;
    if (before.hidden) throw cannotEdit(host, want.path, 'its block had other lines before, which are a secret');
    const back = undone(host, want, read, before);
    if (!before.exists && back === '') await removeFile(host, want, read);
    else if (back !== read.text) await writeBack(host, want, read, Buffer.from(back, 'latin1'));
  },
  owns: (want) => [`block:${want.path}:${want.id ?? ''}`],
  example: { path: '/etc/hosts', id: 'hosts', content: '192.0.2.10 node1\n192.0.2.11 node2\n' },
});

async function readNow(host: Host, want: ManagedBlock): Promise<Read> {
  const output = await host.run(readScript(want.path));
  if (output.code !== 0) throw cannotEdit(host, want.path, output.stderr.trim());
  const read = parseRead(output, want.path);
  if (read.path !== want.path && /\n/.test(want.path + read.path))
    throw cannotEdit(host, want.path, 'it is a link, and there is a line break in a name');
  return read;
}

function edited(host: Host, want: ManagedBlock, read: Read): string {
  try {
    return withBlock(read.text, blockOf(want));
  } catch (error) {
    if (error instanceof BrokenBlock) throw cannotEdit(host, want.path, error.message);
    throw error;
  }
}

function undone(host: Host, want: ManagedBlock, read: Read, before: Before): string {
  try {
    return withoutBlock(read.text, blockOf(want), before.block, before.open === true);
  } catch (error) {
    if (error instanceof BrokenBlock) throw cannotEdit(host, want.path, error.message);
    throw error;
  }
}

/** A file that was made for the block, and has nothing else in it. */
async function removeFile(host: Host, want: ManagedBlock, read: Read): Promise<void> {
  const output = await host.run(sh`rm -f -- ${read.path}`);
  if (output.code !== 0) throw cannotEdit(host, want.path, output.stderr.trim());
}

/** Writes the file, unless somebody else has changed it since it was read. */
async function writeBack(host: Host, want: ManagedBlock, read: Read, after: Uint8Array): Promise<void> {
  const digest = sha256(Buffer.from(read.text, 'latin1'));
  const unchanged = read.exists
    ? sh`p=${read.path}; d=$(sha256sum <"$p"); [ "\${d%% *}" = ${digest} ] || { echo "somebody else has just changed it" >&2; exit 1; }`
    : sh`[ ! -e ${read.path} ] || { echo "somebody else has just made it" >&2; exit 1; }`;
  const { script } = writeScript(read.path, after, {});
  const output = await host.run({ script: `${unchanged.script}\n${script}` });
  if (output.code !== 0) throw cannotEdit(host, want.path, output.stderr.trim());
}

function cannotEdit(host: Host, path: string, reason: string): Error {
  return kubexmError('KX5002', { path, host: host.name, reason }, { host: host.name });
}
