import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { type ErrorDetail, kubexmError } from '../model/errors/index.ts';
import type { Job, JobResult, Output } from '../model/host.ts';
import { quote } from '../model/script.ts';
import { parseReports, toOutput } from './answer.ts';
import type { Link } from './link.ts';

/** How much of each stream of a job is returned: its end, where errors are. */
const MAX_BYTES = 1024 * 1024;

/** What a poll saw. */
interface Seen {
  readonly state: 'absent' | 'new' | 'running' | 'ended' | 'dead';
  readonly code: number;
  readonly ageSeconds: number;
  readonly lastLine: string;
  readonly stdout: Output;
  readonly stderr: Output;
  readonly reports: Output;
}

/** Starts a job or attaches to it, and waits for its end. Every call may be asked again, so cuts do not matter. */
export async function runJob(link: Link, job: Job): Promise<JobResult> {
  const { key, signal } = job;
  checkKey(key);
  const { host } = link;
  const { jobStartMs } = link.deadlines;
  const token = randomBytes(9).toString('base64url');
  const start = `kx_job_start ${key} ${token} ${quote(job.script.script)}`;
  const started = await link.query(start, { signal });
  if (started.code !== 0) {
    const reason = started.stderr.trim().split('\n').at(-1) || `exit code ${started.code}`;
    throw kubexmError('KX3042', { host, key, reason }, { host });
  }
  const attached = started.stdout.trim() !== token;
  let lastLine = '';
  for (let waited = 0; ; ) {
    const pause = Math.min(1000, Math.max(15, waited / 4));
    await sleep(pause, undefined, { ...(signal && { signal }) }).catch(() => signal?.throwIfAborted());
    waited += pause;
    const seen = await poll(link, key, job.onLine !== undefined, signal);
    if (seen.state === 'ended') return { ...toResult(seen), attached };
    if (seen.state === 'dead') throw ended(host, key, 'it was killed', seen);
    if (seen.state === 'absent') throw ended(host, key, 'its record is gone', seen);
    if (seen.state === 'new' && waited > jobStartMs) {
      throw kubexmError('KX3042', { host, key, reason: `it did not begin within ${jobStartMs / 1000} s` }, { host });
    }
    if (seen.ageSeconds >= job.timeoutSeconds) throw await stopLate(link, job, seen);
    if (seen.lastLine !== '' && seen.lastLine !== lastLine) job.onLine?.(seen.lastLine);
    lastLine = seen.lastLine;
  }
}

/** Removes the record of a job that has ended. */
export async function forgetJob(link: Link, key: string): Promise<void> {
  checkKey(key);
  const output = await link.query(`kx_job_forget ${key}`);
  if (output.code !== 0) throw kubexmError('KX3043', { host: link.host, key }, { host: link.host });
}

function checkKey(key: string): void {
  if (!/^[A-Za-z0-9._-]+$/.test(key) || key.startsWith('.')) throw new TypeError(`not a job key: ${key}`);
}

async function poll(link: Link, key: string, line: boolean, signal: AbortSignal | undefined): Promise<Seen> {
  const scripts = [
    `kx_job_poll ${key} ${line ? '1' : "''"}`,
    `kx_job_print ${key} stdout ${MAX_BYTES + 1}`,
    `kx_job_print ${key} stderr ${MAX_BYTES + 1}`,
    `kx_job_print ${key} reports ${MAX_BYTES}`,
  ];
  const [status, stdout, stderr, reports] = (await link.ask(scripts, { signal, maxBytes: MAX_BYTES + 1 })) as [
    Output,
    Output,
    Output,
    Output,
  ];
  const [first = '', ...rest] = status.stdout.split('\n');
  const [state = 'absent', code, age] = first.split(' ');
  return {
    state: state as Seen['state'],
    code: Number(code),
    ageSeconds: Number(age),
    lastLine: rest.join(' ').trim(),
    stdout,
    stderr,
    reports,
  };
}

/** The one byte too many that tells of truncation is at the front, since the end is what was kept. */
function toResult(seen: Seen): Output {
  const [out, err] = [Buffer.from(seen.stdout.bytes), Buffer.from(seen.stderr.bytes)];
  const truncated = out.length > MAX_BYTES || err.length > MAX_BYTES;
  const output = toOutput(seen.code, out.subarray(-MAX_BYTES), err.subarray(-MAX_BYTES), MAX_BYTES);
  return { ...output, truncated, ...parseReports(seen.reports.stdout) };
}

function ended(host: string, key: string, reason: string, seen: Seen): Error {
  return kubexmError('KX3040', { host, key, reason }, detail(host, seen));
}

/** Asks a job that takes too long to end, then makes it. */
async function stopLate(link: Link, job: Job, seen: Seen): Promise<Error> {
  const { key, timeoutSeconds: seconds } = job;
  await link.query(`kx_job_kill ${key} TERM`);
  let last = seen;
  for (const deadline = Date.now() + link.deadlines.jobGraceMs; Date.now() < deadline && last.state !== 'ended'; ) {
    await sleep(200);
    last = await poll(link, key, false, undefined);
  }
  if (last.state !== 'ended') {
    await link.query(`kx_job_kill ${key} KILL`);
    last = await poll(link, key, false, undefined);
  }
  return kubexmError('KX3041', { host: link.host, key, seconds }, detail(link.host, last));
}

function detail(host: string, seen: Seen): ErrorDetail {
  const said = `${seen.stdout.stdout}${seen.stderr.stdout}`.trim();
  return { host, ...(said !== '' && { detail: said.split('\n').slice(-20).join('\n') }) };
}
