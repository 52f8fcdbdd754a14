import { afterEach, describe, expect, it, vi } from 'vitest';
import { Progress, parseGoLine } from './progress.ts';

afterEach(() => {
  vi.useRealTimers();
});

describe('parseGoLine', () => {
  it.each([
    ['go: downloading k8s.io/api v0.34.2', { kind: 'downloading', module: 'k8s.io/api', version: 'v0.34.2' }],
    ['internal/goarch', { kind: 'package', name: 'internal/goarch' }],
    ['gopkg.in/inf.v0', { kind: 'package', name: 'gopkg.in/inf.v0' }],
    ['github.com/Azure/go-ansiterm', { kind: 'package', name: 'github.com/Azure/go-ansiterm' }],
    ['fmt', { kind: 'package', name: 'fmt' }],
    ['# k8s.io/api/core/v1', { kind: 'other', text: '# k8s.io/api/core/v1' }],
    ['main.go:3:2: undefined: x', { kind: 'other', text: 'main.go:3:2: undefined: x' }],
    ['go: updates to go.mod needed', { kind: 'other', text: 'go: updates to go.mod needed' }],
    ['', { kind: 'other', text: '' }],
  ])('%s', (line, expected) => {
    expect(parseGoLine(line)).toEqual(expected);
  });
});

describe('Progress', () => {
  it('counts every package once, never more than all, and is never silent for long', () => {
    vi.useFakeTimers();
    const told: (readonly [number, number | undefined])[] = [];
    const said: string[] = [];
    const io = {
      signal: new AbortController().signal,
      env: {},
      progress: (done: number, total: number | undefined) => void told.push([done, total]),
      say: (text: string) => void said.push(text),
    };
    const progress = new Progress(io);
    progress.enter('building x', 2);
    for (const line of ['a/b', 'a/b', '# a/b', 'c', 'd']) {
      vi.advanceTimersByTime(600);
      progress.line(line);
    }
    expect(told).toEqual([
      [0, 2],
      [1, 2],
      [2, 2],
      [2, 2],
    ]);
    vi.advanceTimersByTime(16_000);
    expect(said.slice(0, 2)).toEqual(['building x', 'building x (8 s)']);
    expect(said.length).toBeGreaterThanOrEqual(3);
    progress.stop();
    const count = said.length;
    vi.advanceTimersByTime(20_000);
    expect(said).toHaveLength(count);
  });

  it('says that all is done where go had everything in its cache', () => {
    const told: (readonly [number, number | undefined])[] = [];
    const progress = new Progress({
      signal: new AbortController().signal,
      env: {},
      progress: (done, total) => void told.push([done, total]),
      say: () => undefined,
    });
    progress.enter('building x', 7);
    progress.finish();
    progress.stop();
    expect(told.at(-1)).toEqual([7, 7]);
  });
});
