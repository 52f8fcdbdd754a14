// Runs a command in a terminal and makes an animated picture of it:
//   node scripts/record.mjs docs/images/quickstart.svg -- ./kubexm quickstart
// With --keep FILE the recording is kept too (asciicast, version 2); --from FILE makes the picture from such a file.
import { spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

const own = join(fileURLToPath(new URL('..', import.meta.url)), 'node_modules/.bin/node');
const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);

if ((major < 22 || (major === 22 && minor < 18)) && existsSync(own) && process.execPath !== own) {
  // The parts are TypeScript, which an older Node cannot read.
  process.exitCode = spawnSync(own, process.argv.slice(1), { stdio: 'inherit' }).status ?? 1;
} else await main();

async function main() {
  const { framesOf, paced } = await import('./recording/frames.ts');
  const { svgOf } = await import('./recording/svg.ts');
  const { positionals, values } = parseArgs({
    allowPositionals: true,
    options: {
      columns: { type: 'string', default: '100' },
      rows: { type: 'string', default: '30' },
      seconds: { type: 'string', default: '35' },
      keep: { type: 'string' },
      from: { type: 'string' },
    },
  });
  const [file, ...command] = positionals;
  if (file === undefined || (command.length === 0 && values.from === undefined)) {
    console.error(
      'use: node scripts/record.mjs FILE.svg [--columns N] [--rows N] [--seconds N] [--keep FILE] -- COMMAND',
    );
    process.exitCode = 2;
    return;
  }
  const recording =
    values.from === undefined
      ? await record(command, Number(values.columns), Number(values.rows))
      : parseCast(readFileSync(values.from, 'utf8'));
  if (values.keep !== undefined) writeFileSync(values.keep, castOf(recording));
  const seconds = Number(values.seconds);
  const frames = paced(framesOf(recording), { seconds, last: 7, idle: 1.5, least: 0.15 });
  const end = (frames.at(-1)?.seconds ?? 0) + 7;
  const svg = svgOf(frames, { ...recording, seconds: end });
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, svg);
  const size = Math.ceil(Buffer.byteLength(svg) / 1024);
  console.log(`${file}: ${frames.length} frames, ${Math.round(end)} s, ${size} kB`);
}

/** The command is shown as it is typed, then runs. That it fails is an error: nobody wants a picture of that. */
async function record(command, columns, rows) {
  const title = command.join(' ');
  const output = typed(process.getuid?.() === 0 ? '# ' : '$ ', title);
  const typing = output.at(-1).seconds;
  const { CI, NO_COLOR, FORCE_COLOR, COLUMNS, LINES, ...env } = process.env;
  const quoted = command.map((word) => `'${word.replaceAll("'", "'\\''")}'`).join(' ');
  const args = ['-qefc', `stty cols ${columns} rows ${rows} && exec ${quoted}`, '/dev/null'];
  const began = performance.now();
  // Its stdin stays open: the end of it would be typed into the terminal.
  const child = spawn('script', args, {
    stdio: ['pipe', 'pipe', 'inherit'],
    env: { ...env, SHELL: '/bin/sh', TERM: 'xterm-256color', LANG: 'C.UTF-8', LC_ALL: 'C.UTF-8' },
  });
  child.stdout.setEncoding('utf8');
  child.stdout.on('data', (text) => {
    process.stderr.write(text);
    output.push({ seconds: typing + (performance.now() - began) / 1000, text });
  });
  const code = await new Promise((resolve, reject) => child.once('error', reject).once('close', resolve));
  child.stdin.destroy();
  if (code !== 0) throw new Error(`${title} ended with ${code}`);
  return { columns, rows, title, output };
}

function typed(prompt, text) {
  const keys = [...text].map((key, i) => ({ seconds: 0.8 + i * 0.06, text: key }));
  return [
    { seconds: 0, text: `\x1b[2m${prompt}\x1b[0m` },
    ...keys,
    { seconds: 1.4 + keys.length * 0.06, text: '\r\n' },
  ];
}

function castOf({ columns, rows, title, output }) {
  const head = { version: 2, width: columns, height: rows, title };
  return [head, ...output.map(({ seconds, text }) => [seconds, 'o', text])]
    .map((line) => `${JSON.stringify(line)}\n`)
    .join('');
}

function parseCast(text) {
  const [head, ...lines] = text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));
  const output = lines.filter(([, kind]) => kind === 'o').map(([seconds, , written]) => ({ seconds, text: written }));
  return { columns: head.width, rows: head.height, title: head.title ?? '', output };
}
