import type { Sample } from './stats.ts';

/** One line of a section's table. */
export interface Row {
  readonly what: string;
  /** Without one, the line is only for information. */
  readonly target?: string;
  readonly measured: string;
  readonly met?: boolean;
}

/** What a section found. */
export interface Findings {
  readonly rows: readonly Row[];
  /** How it was measured: paragraphs. */
  readonly how: readonly string[];
  /** Only a part was measured: it is shown, but not kept. */
  readonly partial?: boolean;
}

/** A part of the benchmarks. */
export interface Section {
  readonly name: string;
  readonly title: string;
  /** How long it takes: only measured when it is named. */
  readonly takes?: string;
  /** Why it cannot be measured here. */
  problem?(): string | undefined;
  run(): Promise<Findings>;
}

/** A measured value with its spread: `1.23 s (1.20–1.40)`. */
export function shown(sample: Sample, unit: string, digits: number): string {
  const text = (value: number) => value.toFixed(digits);
  return `${text(sample.median)}${unit === '' ? '' : ` ${unit}`} (${text(sample.min)}–${text(sample.max)})`;
}

/** A line with a target that must not be exceeded. */
export function atMost(what: string, limit: number, sample: Sample, unit: string, digits: number): Row {
  const measured = shown(sample, unit, digits);
  return { what, target: `at most ${limit} ${unit}`, measured, met: sample.median <= limit };
}

/** A line with a target that must be reached. */
export function atLeast(what: string, limit: number, sample: Sample, unit: string, digits: number): Row {
  const measured = shown(sample, unit, digits);
  return { what, target: `at least ${limit} ${unit}`, measured, met: sample.median >= limit };
}

/** A line for information. */
export function info(what: string, sample: Sample, unit: string, digits: number): Row {
  return { what, measured: shown(sample, unit, digits) };
}

/** A section as Markdown. */
export function sectionText(section: Pick<Section, 'title'>, findings: Findings): string {
  const verdict = (row: Row) => (row.met === undefined ? '' : row.met ? 'yes' : '**no**');
  const lines = findings.rows.map(
    (row) => `| ${row.what} | ${row.target ?? '–'} | ${row.measured} | ${verdict(row)} |`,
  );
  const table = ['| what | target | measured | met |', '| --- | --- | --- | --- |', ...lines].join('\n');
  return [`## ${section.title}`, table, ...findings.how.map(wrapped)].join('\n\n');
}

const WIDTH = 120;

const INTRO = [
  '# Benchmarks',
  wrapped(
    'Written by `npm run bench`; run it again to compare. Figures are medians, with the least and the greatest in brackets. ' +
      'The contestants of a section ran in turns, round after round, so that a noisy minute of the machine hit them all. Lines ' +
      'without a target are for information.',
  ),
];

/** A paragraph in lines, so that a changed figure is a small difference. */
function wrapped(text: string): string {
  return text.replaceAll(new RegExp(`(?![^\\n]{1,${WIDTH}}$)([^\\n]{1,${WIDTH}})\\s`, 'g'), '$1\n');
}

/**
 * The whole document. Sections that were not run now are taken from the one before, if that was written on the same machine:
 * figures of two machines do not belong on one page.
 */
export function documentText(
  machine: string,
  sections: readonly Section[],
  texts: ReadonlyMap<string, string>,
  before: string,
): string {
  const kept = before.includes(`\n${machine}\n`) ? before.split(/\n(?=## )/) : [];
  const parts = sections.flatMap((section) => {
    const text = texts.get(section.name) ?? kept.find((part) => part.startsWith(`## ${section.title}\n`));
    return text === undefined ? [] : [text.trim()];
  });
  return `${[...INTRO, machine, ...parts].join('\n\n')}\n`;
}
