import { expect, test } from 'vitest';
import { type ErrorCode, KubexmError } from '../model/errors/index.ts';
import { isRefusedHost } from '../model/errors/refused-host.ts';
import { isLost } from './errors.ts';

const codes: readonly ErrorCode[] = ['KX3005', 'KX3006', 'KX3007', 'KX3027', 'KX3028', 'KX3029', 'KX3103'];
const through = (cause: unknown) => new KubexmError('KX3013', {}, { cause });

test.each(codes)('%s ends the attempts to come back, on the host itself and on its bastions', (code) => {
  const error = new KubexmError(code, {});
  for (const one of [error, through(error), through(through(error))])
    expect([isRefusedHost(one), isLost(one)]).toEqual([true, true]);
});

test('a bastion that is only away is tried again', () => {
  for (const cause of [new KubexmError('KX3001', {}), new Error('no answer'), undefined])
    expect([isRefusedHost(through(cause)), isLost(through(cause))]).toEqual([false, false]);
});
