import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

/** How a command ended that a starter has started. */
export interface Ended {
  readonly code: number;
  readonly stdout: Buffer;
  readonly stderr: string;
}

/**
 * Starts shells from a small process: the one of the tests is big, and slow to start others. It ends with its input, and so with
 * us. It reads lines `ID FILE`, runs FILE with its output in files beside it, and writes `ID CODE`; others run meanwhile. What is
 * started so ignores SIGINT and SIGQUIT, and what it leaves behind in the background is not waited for.
 */
class Starter {
  private readonly waiting = new Map<string, { ended: (code: number) => void; failed: (error: Error) => void }>();
  private readonly dir = mkdtempSync(join(tmpdir(), 'kx-starter-'));
  private readonly child = spawn('/bin/sh', ['-c', LOOP], { stdio: ['pipe', 'pipe', 'inherit'] });
  private count = 0;

  constructor() {
    createInterface({ input: this.child.stdout }).on('line', (line) => {
      const [id = '', code] = line.split(' ');
      this.waiting.get(id)?.ended(Number(code));
      this.waiting.delete(id);
    });
    const gone = () => {
      for (const { failed } of this.waiting.values()) failed(new Error('what starts shells for the tests has ended'));
    };
    this.child.once('exit', gone);
    this.child.stdin.once('error', gone);
    // Nobody waits for it who waits for no shell.
    this.child.unref();
    process.once('exit', () => rmSync(this.dir, { recursive: true, force: true }));
  }

  async run(script: string): Promise<Ended> {
    const id = String(this.count++);
    const file = join(this.dir, id);
    writeFileSync(file, script);
    const code = await new Promise<number>((ended, failed) => {
      this.waiting.set(id, { ended, failed });
      this.child.stdin.write(`${id} ${file}\n`);
    });
    const ended = { code, stdout: readFileSync(`${file}.o`), stderr: readFileSync(`${file}.e`, 'utf8') };
    for (const end of ['', '.o', '.e']) rmSync(`${file}${end}`);
    return ended;
  }
}

const LOOP = `while read -r id file; do
  { /bin/sh "$file" >"$file.o" 2>"$file.e" </dev/null; echo "$id $?"; } &
done`;

let starter: Starter | undefined;

/** Runs a script of /bin/sh to its end, without a fork of this process. */
export function runSmall(script: string): Promise<Ended> {
  starter ??= new Starter();
  return starter.run(script);
}
