import { openNote, type VerifierKey } from './note.ts';
import { hasRecord, parseTree, type Tile, tilePath } from './tree.ts';

/** Gets a file of a checksum database by its path; what does not exist is unset. */
export type ReadSumdb = (path: string) => Promise<Buffer | undefined>;

/** What a checksum database says about a module, or why that is not to be believed. */
export type Answer = { readonly hash: string } | { readonly refused: string } | { readonly absent: true };

/** Asks a checksum database for the `h1:` of a module's zip, and believes only what is signed and in its tree. */
export async function lookUp(module: string, version: string, verifier: VerifierKey, read: ReadSumdb): Promise<Answer> {
  const answer = await read(`lookup/${escaped(module)}@${escaped(version)}`);
  if (answer === undefined) return { absent: true };
  const [, number = '', text = '', note = ''] = /^(\d+)\n((?:.+\n)+)\n([\s\S]+)$/.exec(answer.toString()) ?? [];
  const signed = openNote(note, verifier);
  const tree = signed === undefined ? undefined : parseTree(signed);
  if (tree === undefined) return { refused: `${verifier.name} did not sign the answer` };
  const readTile = async (tile: Tile): Promise<Buffer> => {
    // A tile that has been filled up since is kept by its full name only.
    const found = (await read(tilePath(tile))) ?? (await read(tilePath({ ...tile, width: 256 })));
    if (found === undefined) throw new Error(`${tilePath(tile)} is missing`);
    return found;
  };
  if (!(await hasRecord(tree, Number(number), text, readTile))) {
    return { refused: `the answer is not in the tree that ${verifier.name} signed` };
  }
  const line = text.split('\n').find((words) => words.startsWith(`${module} ${version} h1:`));
  return line === undefined ? { refused: 'the answer is about something else' } : { hash: line.split(' ')[2] ?? '' };
}

/** Paths of modules as they are asked for: servers may not tell capitals from small letters. */
function escaped(path: string): string {
  return path.replace(/[A-Z]/g, (letter) => `!${letter.toLowerCase()}`);
}
