const ESCAPES = /\x1b(?:\[[0-9;?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)?|[@-_])/g;
/** What turns the direction of text, breaks lines or cannot be seen. Joiners stay: scripts and emoji need them. */
const INVISIBLE = /[\u061c\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\u{e0000}-\u{e007f}]/gu;

/** A host's text as one harmless line: it can neither steer the reader's terminal nor pass for something else. */
export function printable(text: string): string {
  return text
    .replace(ESCAPES, '')
    .replace(INVISIBLE, '\ufffd')
    .replace(/\t/g, '    ')
    .replace(/[\x00-\x1f\x7f-\x9f]+/g, ' ');
}

/** A host's text as harmless lines; what a carriage return would have overwritten is left out. */
export function printableLines(text: string): string[] {
  const lines = text.split('\n').map((line) => printable(line.replace(/\r+$/, '').replace(/^.*\r/, '')).trimEnd());
  while (lines.at(-1) === '') lines.pop();
  return lines;
}
