import { connect, createServer } from 'node:net';
import { startProxy } from '../../test/rig/sshd.ts';
import { sampleOf } from './stats.ts';

const ECHOES = 25;

/** How long a round trip through a delaying proxy really takes: timers are late, and that must not count as round trips. */
export async function measuredRoundTrip(delayMs: number): Promise<number> {
  const server = createServer({ noDelay: true }, (socket) => socket.pipe(socket));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the server has no port');
  const proxy = await startProxy(address.port, delayMs);
  const socket = connect({ port: proxy.port, host: '127.0.0.1', noDelay: true });
  try {
    const times: number[] = [];
    for (let i = 0; i < ECHOES; i++) {
      const started = performance.now();
      const answered = new Promise((resolve) => socket.once('data', resolve));
      socket.write('.');
      await answered;
      times.push(performance.now() - started);
    }
    return sampleOf(times).median;
  } finally {
    socket.destroy();
    await proxy.close();
    await new Promise((resolve) => server.close(resolve));
  }
}
