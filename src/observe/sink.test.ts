import { describe, expect, it } from 'vitest';
import { everyEvent } from '../../test/rig/every-event.ts';
import type { RunEvent } from '../model/event.ts';
import { Redactor } from './redact/redactor.ts';
import { fanOut, type Sink, sinkOf } from './sink.ts';

function collector(): { readonly sink: Sink; readonly seen: RunEvent[] } {
  const seen: RunEvent[] = [];
  return { sink: sinkOf('collector', (event) => void seen.push(event)), seen };
}

const events = everyEvent();
const first = events[0]!;

describe('fanOut', () => {
  it('gives every event to every sink, redacted', () => {
    const redactor = new Redactor();
    redactor.add('planted-secret');
    const a = collector();
    const b = collector();
    const write = fanOut(redactor, [a.sink, b.sink]);
    for (const event of everyEvent((text) => `${text}planted-secret`)) write(event);
    expect(a.seen).toHaveLength(events.length);
    expect(b.seen).toEqual(a.seen);
    expect(JSON.stringify(a.seen)).not.toContain('planted-secret');
  });

  it('warns once about a throwing sink and goes on', () => {
    const redactor = new Redactor();
    redactor.add('planted-secret');
    const good = collector();
    let calls = 0;
    const bad = sinkOf('log', () => {
      calls++;
      throw new Error('disk full at planted-secret');
    });
    const write = fanOut(redactor, [bad, good.sink]);
    for (const event of events) write(event);
    const warnings = good.seen.filter((event) => event.type === 'warning' && event.error.code === 'KX8001');
    expect(warnings).toMatchObject([
      { run: first.run, error: { params: { sink: 'log', reason: 'disk full at ••••••' } } },
    ]);
    expect(good.seen).toHaveLength(events.length + 1);
    expect(calls).toBe(events.length);
  });

  it('gives up on a sink that only throws', () => {
    let calls = 0;
    const write = fanOut(new Redactor(), [
      sinkOf('log', () => {
        calls++;
        throw new Error('no');
      }),
    ]);
    for (let i = 0; i < 1000; i++) write(first);
    expect(calls).toBe(100);
  });

  it('survives when all sinks throw', () => {
    const bad = () =>
      sinkOf('x', () => {
        throw new Error('no');
      });
    expect(() => fanOut(new Redactor(), [bad(), bad()])(first)).not.toThrow();
  });

  it("passes a sink's own trouble on, also from before the first event", () => {
    const good = collector();
    const troubled: Sink = {
      name: 'event store',
      write: () => undefined,
      connect: (report) => report({ code: 'KX8002', params: { file: 'a', kept: 'b' } }),
    };
    const write = fanOut(new Redactor(), [troubled, good.sink]);
    expect(good.seen).toEqual([]);
    write(first);
    expect(good.seen.map((event) => event.type)).toEqual([first.type, 'warning']);
  });

  it('closes every sink, even after one that fails', async () => {
    const closed: string[] = [];
    const sink = (name: string, fails: boolean): Sink => ({
      name,
      write: () => undefined,
      async close() {
        closed.push(name);
        if (fails) throw new Error('no');
      },
    });
    await fanOut(new Redactor(), [sink('a', true), sink('b', false)]).close();
    expect(closed).toEqual(['a', 'b']);
  });
});
