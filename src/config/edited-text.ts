/** A change to a text: what stands at an offset is replaced. */
export interface Edit {
  readonly at: number;
  readonly remove: number;
  readonly insert: string;
}

/** A changed text that still knows where everything stood before. */
export interface EditedText {
  readonly text: string;
  /** The offset in the original for an offset in the changed text. */
  readonly original: (offset: number) => number;
}

/** A text as it is. */
export function unchanged(text: string): EditedText {
  return { text, original: (offset) => offset };
}

/** Applies edits, of which the first at a place wins. */
export function applyEdits(before: EditedText, edits: readonly Edit[]): EditedText {
  if (edits.length === 0) return before;
  const pieces: string[] = [];
  /** Where pieces start in the new text, and what offset of the old text that is. */
  const starts: { to: number; from: number; moves: boolean }[] = [];
  let from = 0;
  let to = 0;
  const add = (piece: string, moves: boolean): void => {
    if (piece === '') return;
    starts.push({ to, from, moves });
    pieces.push(piece);
    to += piece.length;
  };
  for (const edit of [...edits].sort((a, b) => a.at - b.at)) {
    if (edit.at < from) continue;
    add(before.text.slice(from, edit.at), true);
    from = edit.at;
    add(edit.insert, false);
    from = edit.at + edit.remove;
  }
  add(before.text.slice(from), true);
  const text = pieces.join('');
  const original = (offset: number): number => {
    const piece = starts[lastAtMost(starts, offset)];
    if (piece === undefined) return before.original(offset);
    return before.original(piece.moves ? piece.from + offset - piece.to : piece.from);
  };
  return { text, original };
}

function lastAtMost(starts: readonly { readonly to: number }[], offset: number): number {
  let low = 0;
  let high = starts.length - 1;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if ((starts[middle]?.to ?? 0) <= offset) low = middle;
    else high = middle - 1;
  }
  return low;
}
