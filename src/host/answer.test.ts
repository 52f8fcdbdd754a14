import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type Answer, AnswerReader } from './answer.ts';

const NONCE = '0123456789abcdef01234567';

/** What `kx_answer` prints. */
function printed(id: string, parts: readonly { code: string; stdout: Buffer; stderr: Buffer }[], cap: number): Buffer {
  const codes = parts.map((part) => `${part.code}${part.stdout.length ? 'o' : ''}${part.stderr.length ? 'e' : ''}`);
  const files = parts.flatMap((part, i) => [
    ...(part.stdout.length ? [[`${NONCE}.${id}.${i + 1}.o`, part.stdout] as const] : []),
    ...(part.stderr.length ? [[`${NONCE}.${id}.${i + 1}.e`, part.stderr] as const] : []),
  ]);
  const body = files.flatMap(([name, content], i) => [
    Buffer.from(`${i > 0 ? '\n' : ''}==> ${name} <==\n`),
    content.subarray(0, cap + 1),
  ]);
  return Buffer.concat([
    Buffer.from(`\n${NONCE} ${id}${codes.map((code) => ` ${code}`).join('')}\n`),
    ...body,
    Buffer.from(`\n${NONCE} ${id} .\n`),
  ]);
}

function read(bytes: Buffer, sizes: readonly number[], cap: number): Answer[] {
  const reader = new AnswerReader(NONCE);
  const answers: Answer[] = [];
  let at = 0;
  for (let i = 0; at < bytes.length; i++) {
    const size = sizes[i % sizes.length] ?? 1;
    answers.push(...reader.push(bytes.subarray(at, at + size), () => ({ scripts: 4, maxBytes: cap })));
    at += size;
  }
  return answers;
}

describe('AnswerReader', () => {
  test('an answer without output', () => {
    const [answer] = read(Buffer.from(`noise\n${NONCE} 7 0 3\n\n${NONCE} 7 .\n`), [1], 10);
    expect(answer?.id).toBe('7');
    expect(answer?.parts.map((part) => part.kind === 'output' && part.output.code)).toEqual([0, 3]);
  });

  test('reports behind the streams, line by line; what was cut or is of no type is dropped', () => {
    const body = `==> ${NONCE}.7.1.o <==\nhi\n==> ${NONCE}.7.1.r <==\nleft a b\nother c\nleft cu`;
    const [answer] = read(Buffer.from(`\n${NONCE} 7 3or\n${body}\n${NONCE} 7 .\n`), [5], 100);
    expect(answer?.parts).toMatchObject([
      { output: { code: 3, stdout: 'hi', reports: [{ type: 'left', text: 'a b' }] } },
    ]);
  });

  test('a script that was stopped, and one whose files are gone', () => {
    const [answer] = read(Buffer.from(`\n${NONCE} 7 - x 0o\n\n${NONCE} 7 .\n`), [5], 10);
    expect(answer?.parts.map((part) => part.kind)).toEqual(['stopped', 'lost', 'lost']);
  });

  test('any bytes, in any chunks, any number of answers', () => {
    const bytes = fc.uint8Array({ maxLength: 60 }).map((array) => Buffer.from(array));
    const tricky = fc.constantFrom(
      Buffer.from('\n==> x <==\n'),
      Buffer.from(`\n${NONCE}`),
      Buffer.from('\n'),
      Buffer.from(`==> ${NONCE}.0.9.o <==\n`),
    );
    const content = fc.array(fc.oneof(bytes, tricky), { maxLength: 3 }).map((all) => Buffer.concat(all));
    const part = fc.record({ code: fc.integer({ min: 0, max: 255 }).map(String), stdout: content, stderr: content });
    const calls = fc.array(fc.array(part, { minLength: 1, maxLength: 4 }), { minLength: 1, maxLength: 4 });
    fc.assert(
      fc.property(calls, fc.array(fc.integer({ min: 1, max: 50 }), { minLength: 1 }), (all, sizes) => {
        const answers = read(Buffer.concat(all.map((parts, i) => printed(String(i), parts, 100))), sizes, 100);
        expect(answers.map((answer) => answer.id)).toEqual(all.map((_, i) => String(i)));
        all.forEach((parts, i) => {
          parts.forEach((want, k) => {
            const got = answers[i]?.parts[k];
            if (got?.kind !== 'output') throw new Error(`part ${k} of answer ${i} is ${got?.kind}`);
            expect(got.output.code).toBe(Number(want.code));
            expect(Buffer.from(got.output.bytes)).toEqual(want.stdout.subarray(0, 100));
            expect(got.output.stderr).toBe(want.stderr.subarray(0, 100).toString('utf8'));
            expect(got.output.truncated).toBe(want.stdout.length > 100 || want.stderr.length > 100);
          });
        });
      }),
      { numRuns: 300 },
    );
  });
});
