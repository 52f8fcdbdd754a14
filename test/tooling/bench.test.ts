import { connect, createServer } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { startCountingProxy } from '../../bench/lib/counting-proxy.ts';
import { atLeast, atMost, documentText, type Section, sectionText } from '../../bench/lib/report.ts';
import { interleave, ratios, sampleOf } from '../../bench/lib/stats.ts';
import { items } from '../../bench/lib/tree.ts';
import { findings } from '../../bench/sections/cold-builds.ts';

const section = (name: string): Section => ({
  name,
  title: `Of ${name}`,
  run: () => Promise.reject(new Error('not run')),
});

describe('statistics', () => {
  test('the median, and the ends', () => {
    expect(sampleOf([5, 1, 3])).toEqual({ median: 3, min: 1, max: 5, count: 3 });
    expect(sampleOf([4, 1, 3, 2]).median).toBe(2.5);
    expect(() => sampleOf([])).toThrow(RangeError);
  });

  test('contestants take turns, and each may be first', async () => {
    const order: string[] = [];
    const note = (name: string) => async () => order.push(name);
    await interleave(3, { a: note('a'), b: note('b'), c: note('c') });
    expect(order.join('')).toBe('abcbcacab');
  });

  test('factors are those of each round', () => {
    expect(ratios([10, 40], [1, 2])).toMatchObject({ median: 15, min: 10, max: 20 });
  });
});

describe('the document', () => {
  const rows = [atMost('time', 2, sampleOf([1, 3, 1.5]), 's', 1), atLeast('factor', 40, sampleOf([39]), '×', 0)];
  const text = sectionText(section('a'), { rows, how: ['word '.repeat(60).trim()] });

  test('a table with targets, and paragraphs in lines', () => {
    expect(text).toContain('| time | at most 2 s | 1.5 s (1.0–3.0) | yes |');
    expect(text).toContain('| factor | at least 40 × | 39 × (39–39) | **no** |');
    expect(Math.max(...text.split('\n').map((line) => line.length))).toBeLessThanOrEqual(120);
  });

  test('sections that were not run now stay, in their order, but only those of the same machine', () => {
    const all = [section('a'), section('b')];
    const first = documentText('Machine one.', all, new Map([['b', '## Of b\n\nold b']]), '');
    const both = documentText('Machine one.', all, new Map([['a', text]]), first);
    expect(both.indexOf('## Of a')).toBeLessThan(both.indexOf('old b'));
    expect(documentText('Machine one.', all, new Map(), both)).toBe(both);
    expect(documentText('Machine two.', all, new Map([['a', text]]), both)).not.toContain('old b');
  });
});

test('a run with nothing to do has twenty things on each host', () => {
  const paths = items('/srv/x').map((item) => item.path);
  expect(paths).toHaveLength(20);
  expect(paths.every((path) => path.startsWith('/srv/x/'))).toBe(true);
});

test('the proxy counts how often the client waited for an answer', async () => {
  const server = createServer((socket) => socket.pipe(socket));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const proxy = await startCountingProxy((server.address() as { port: number }).port, 50);
  const socket = connect(proxy.port, '127.0.0.1');
  const ask = async () => {
    const answered = new Promise((resolve) => socket.once('data', resolve));
    socket.write('?');
    await answered;
  };
  try {
    await ask();
    expect(proxy.waits).toBe(0);
    await ask();
    expect(proxy.waits).toBe(1);
    await sleep(100);
    const counted = performance.now();
    await ask();
    expect(proxy.waits).toBe(2);
    // Within the quiet time it counts as a part of the same exchange.
    await ask();
    if (performance.now() - counted < 50) expect(proxy.waits).toBe(2);
  } finally {
    socket.destroy();
    await proxy.close();
    server.close();
  }
});

describe('cold builds', () => {
  const cold = {
    seconds: 500,
    cpuSeconds: 900,
    builds: { programs: 10, seconds: 480, cores: 2 },
    times: Array.from({ length: 9 }, (_, i) => [`recipe ${i}: a from nothing`, 300 - i] as const),
    load: 0.2,
    only: '',
  };

  test('wall time against the goal, CPU time, what was announced, and the longest builds', () => {
    const text = sectionText({ title: 'Cold' }, findings(cold));
    expect(text).toContain('| all programs and images of quickstart | – | 500 s (500–500) |');
    expect(text).toContain('| quickstart with them: 211 s more | at most 720 s | 711 s (711–711) | yes |');
    expect(text).toContain('| CPU time of it | – | 900 s');
    expect(text).toContain('| cores busy | – | 1.80 (');
    expect(text).toContain('| what was announced for 10 programs | – | 480 s');
    expect(text).toContain('| built: recipe 4: a | – | 296 s');
    expect(text).not.toContain('recipe 5');
    expect(findings(cold).partial).toBeUndefined();
    expect(findings({ ...cold, seconds: 510 }).rows[1]?.met).toBe(false);
    const many = findings({ ...cold, times: [['x amd64: a, b, c, d, e, f, g, h from nothing', 9]] });
    expect(many.rows.at(-1)?.what).toBe('built: x amd64: 8 programs');
  });

  test('a part has no goal and is not kept', () => {
    const part = findings({ ...cold, only: 'runc', builds: undefined });
    expect(part).toMatchObject({
      partial: true,
      rows: [{ what: 'runc alone' }, { what: 'CPU time of it' }, {}, {}, {}, {}, {}, {}],
    });
    expect(part.rows[0]).not.toHaveProperty('met');
  });
});
