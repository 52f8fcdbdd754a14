import { expect } from 'vitest';
import type { Connection } from '../../src/connector/connection.ts';
import { connectSsh, type SshOptions } from '../../src/connector/ssh/client.ts';
import type { Target } from '../../src/connector/target.ts';

/** What a command prints, over a connection. */
export async function says(connection: Connection, command: string): Promise<string> {
  const channel = await connection.exec(command);
  let text = '';
  channel.stdout.on('data', (chunk: Buffer) => {
    text += chunk.toString();
  });
  channel.stderr.resume();
  await channel.exit;
  return text;
}

/** Checks that a login works, and leaves again. */
export async function logsIn(target: Target, options: SshOptions = {}): Promise<void> {
  const connection = await connectSsh(target, options);
  expect(await says(connection, 'echo "$USER"')).toBe(`${target.user}\n`);
  await connection.close();
  expect(await connection.closed).toBeUndefined();
}

/** The error of a login that must not work. */
export async function fails(
  target: Target,
  options: SshOptions = {},
): Promise<{ code: string; params: Record<string, string>; message: string }> {
  const error = await connectSsh(target, options).then(
    async (connection) => {
      await connection.close();
      throw new Error('it logged in');
    },
    (reason: unknown) => reason,
  );
  return error as { code: string; params: Record<string, string>; message: string };
}
