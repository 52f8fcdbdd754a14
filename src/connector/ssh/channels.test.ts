import { describe, expect, test } from 'vitest';
import { ChannelGate } from './channels.ts';

describe('ChannelGate', () => {
  const settled = async (promise: Promise<void>): Promise<boolean> => {
    let done = false;
    void promise.then(() => {
      done = true;
    });
    await new Promise((resolve) => setImmediate(resolve));
    return done;
  };

  test('the rest wait their turn, in order', async () => {
    const gate = new ChannelGate(2);
    await gate.enter();
    gate.opened();
    await gate.enter();
    gate.opened();
    const [third, fourth] = [gate.enter(), gate.enter()];
    expect(await settled(third)).toBe(false);
    gate.closed();
    expect([await settled(third), await settled(fourth)]).toEqual([true, false]);
  });

  test('a server that refuses the second opens one at a time, one that once had two open does not', async () => {
    const [one, two] = [new ChannelGate(8), new ChannelGate(8)];
    for (const gate of [one, two]) {
      await gate.enter();
      gate.opened();
      await gate.enter();
    }
    two.opened();
    two.closed();
    await two.enter();
    expect([one.single, two.single]).toEqual([false, false]);
    one.refused();
    two.refused();
    expect([one.single, two.single]).toEqual([true, false]);
  });

  test('a refusal lowers the limit to what was seen to work, not below', async () => {
    const gate = new ChannelGate(8);
    for (let i = 0; i < 4; i++) await gate.enter();
    gate.opened();
    gate.opened();
    // One of the two open ones has gone before the refusals arrive.
    gate.closed();
    gate.refused();
    gate.refused();
    await gate.enter();
    gate.opened();
    const more = gate.enter();
    expect(await settled(more)).toBe(false);
    gate.closed();
    expect(await settled(more)).toBe(true);
  });

  test('refusals may arrive before the first one is open', async () => {
    const gate = new ChannelGate(8);
    for (let i = 0; i < 4; i++) await gate.enter();
    gate.refused();
    gate.refused();
    gate.opened();
    gate.opened();
    const more = gate.enter();
    expect(await settled(more)).toBe(false);
    gate.closed();
    expect(await settled(more)).toBe(true);
    expect(gate.empty).toBe(false);
  });

  test('who gives up waiting takes nobody’s turn', async () => {
    const gate = new ChannelGate(1);
    await gate.enter();
    gate.opened();
    const abort = new AbortController();
    const impatient = gate.enter(abort.signal);
    const patient = gate.enter();
    abort.abort(new Error('enough'));
    await expect(impatient).rejects.toThrow('enough');
    gate.closed();
    expect(await settled(patient)).toBe(true);
  });

  test('a wake-up is not lost on somebody behind others who gave up', async () => {
    const gate = new ChannelGate(1);
    await gate.enter();
    gate.opened();
    const abort = new AbortController();
    const patient = gate.enter();
    const impatient = gate.enter(abort.signal);
    abort.abort(new Error('enough'));
    await expect(impatient).rejects.toThrow('enough');
    gate.closed();
    expect(await settled(patient)).toBe(true);
  });

  test('who is woken and gives up in the same moment passes the place on', async () => {
    const gate = new ChannelGate(1);
    await gate.enter();
    gate.opened();
    const abort = new AbortController();
    const impatient = gate.enter(abort.signal).then(
      () => gate.failed(),
      () => undefined,
    );
    const patient = gate.enter();
    gate.closed();
    abort.abort(new Error('enough'));
    await impatient;
    expect(await settled(patient)).toBe(true);
  });

  test('who has given up before does not wait', async () => {
    const gate = new ChannelGate(1);
    await gate.enter();
    await expect(gate.enter(AbortSignal.abort(new Error('enough')))).rejects.toThrow('enough');
  });
});
