/** The candidate with the fewest edits, if there are at most `limit`; case, `-` and `_` count for nothing. */
export function nearest(word: string, candidates: Iterable<string>, limit?: number): string | undefined {
  const plain = (text: string): string => text.toLowerCase().replace(/[-_\s]/g, '');
  const wanted = plain(word.slice(0, 64));
  let best: string | undefined;
  let least = (limit ?? Math.max(1, Math.floor(wanted.length / 3))) + 1;
  for (const candidate of candidates) {
    const distance = edits(wanted, plain(candidate), least);
    if (distance < least) [best, least] = [candidate, distance];
  }
  return best;
}

/** Edit distance in which swapping two neighbours is one edit; stops counting at `enough`. */
function edits(a: string, b: string, enough: number): number {
  if (Math.abs(a.length - b.length) >= enough) return enough;
  let before: number[] = [];
  let last = Array.from({ length: b.length + 1 }, (_, j) => j);
  for (let i = 1; i <= a.length; i += 1) {
    const row = [i];
    for (let j = 1; j <= b.length; j += 1) {
      const same = a[i - 1] === b[j - 1];
      let cost = Math.min((last[j] ?? 0) + 1, (row[j - 1] ?? 0) + 1, (last[j - 1] ?? 0) + (same ? 0 : 1));
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1])
        cost = Math.min(cost, (before[j - 2] ?? 0) + 1);
      row.push(cost);
    }
    if (Math.min(...row) >= enough) return enough;
    [before, last] = [last, row];
  }
  return last[b.length] ?? enough;
}
