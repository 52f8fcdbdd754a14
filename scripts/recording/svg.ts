import { textWidth } from '../../src/model/text/width.ts';
import type { Frame } from './frames.ts';
import type { Look, ScreenLine } from './terminal.ts';

/** How a recording is framed. */
export interface Picture {
  readonly columns: number;
  readonly rows: number;
  /** Stands in the bar of the window, and is read to those who cannot see it. */
  readonly title: string;
  /** When it starts over. */
  readonly seconds: number;
}

const CELL = 8.4;
const LINE = 19;
const BASELINE = 14;
const PAD = 14;
const BAR = 34;

const COLORS = {
  black: '#484f58',
  red: '#ff7b72',
  green: '#3fb950',
  yellow: '#d29922',
  blue: '#58a6ff',
  magenta: '#bc8cff',
  cyan: '#39c5cf',
  white: '#e6edf3',
} as const;

/**
 * An animated picture of a terminal. Every row is a strip of all the lines it ever shows, moved behind a window of one line: each
 * line stands in it once, as text, and there are no more animations than rows. Where nothing moves, it shows the last frame.
 */
export function svgOf(frames: readonly Frame[], picture: Picture): string {
  const { columns, rows, title, seconds } = picture;
  const width = Math.round(columns * CELL + 2 * PAD);
  const height = rows * LINE + BAR + PAD;
  const strips = Array.from({ length: rows }, (_, row) => stripOf(frames, row, seconds));
  const lights = ['#ff5f57', '#febc2e', '#28c840'].map(
    (fill, i) => `<circle cx="${PAD + 6 + i * 20}" cy="17" r="6" fill="${fill}"/>`,
  );
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" xml:space="preserve" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" role="img" aria-label="${escaped(title)}">`,
    `<style>${[...styles(seconds), ...strips.flatMap(({ css }) => css)].join('\n')}</style>`,
    `<rect x=".5" y=".5" width="${width - 1}" height="${height - 1}" rx="9" fill="#0d1117" stroke="#30363d"/>`,
    ...lights,
    `<text class="w k" x="${width / 2}" y="22" text-anchor="middle">${escaped(title)}</text>`,
    `<svg x="${PAD}" y="${BAR}" width="${width - 2 * PAD}" height="${rows * LINE}">`,
    ...strips.flatMap(({ svg }) => svg),
    '</svg>',
    '</svg>',
    '',
  ].join('\n');
}

function styles(seconds: number): string[] {
  return [
    'text{font:14px ui-monospace,SFMono-Regular,Menlo,"Cascadia Mono","DejaVu Sans Mono","Liberation Mono",monospace;fill:#e6edf3;white-space:pre}',
    '.w{font-size:12px}.b{font-weight:700}.k{fill:#8b949e}',
    ...Object.entries(COLORS).map(([name, color]) => `.${name}{fill:${color}}`),
    `g{animation:${rounded(seconds)}s step-end infinite}`,
    // Who wants no motion sees how it ended.
    '@media(prefers-reduced-motion:reduce){g{animation:none}}',
  ];
}

function stripOf(frames: readonly Frame[], row: number, seconds: number): { css: string[]; svg: string[] } {
  const places = new Map<string, number>();
  const changes: { readonly at: number; readonly place: number }[] = [];
  for (const frame of frames) {
    const line = lineOf(frame.lines[row] ?? []);
    const place = places.get(line) ?? places.size;
    places.set(line, place);
    if (changes.at(-1)?.place !== place) changes.push({ at: frame.seconds, place });
  }
  const last = changes.at(-1)?.place ?? 0;
  const texts = [...places].map(([line, place]) => line.replace('<text', `<text y="${place * LINE + BASELINE}"`));
  const moved = (place: number) => `transform:translateY(${-place * LINE}px)`;
  const steps = changes.map(({ at, place }) => `${rounded((at / seconds) * 100)}%{${moved(place)}}`);
  const isMoving = changes.length > 1;
  const strip = `<g${isMoving ? ` style="animation-name:r${row}"` : ''} transform="translate(0 ${-last * LINE})">`;
  return {
    css: isMoving ? [`@keyframes r${row}{${steps.join('')}}`] : [],
    svg: texts.join('') === '' ? [] : [`<svg y="${row * LINE}" height="${LINE}">${strip}${texts.join('\n')}</g></svg>`],
  };
}

function lineOf(line: ScreenLine): string {
  if (line.length === 0) return '';
  // Columns stay columns, whatever font there is.
  const length = textWidth(line.map(({ text }) => text).join('')) * CELL;
  const pieces = line.map(({ text, look }) => {
    const names = classesOf(look);
    return names === '' ? escaped(text) : `<tspan class="${names}">${escaped(text)}</tspan>`;
  });
  return `<text textLength="${rounded(length)}">${pieces.join('')}</text>`;
}

function classesOf({ bold, dim, color }: Look): string {
  return [bold ? 'b' : '', color ?? (dim ? 'k' : '')].filter(Boolean).join(' ');
}

function rounded(value: number): string {
  return String(Math.round(value * 1000) / 1000);
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');
}
