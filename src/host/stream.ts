import type { Readable } from 'node:stream';
import type { Channel } from '../connector/connection.ts';
import { quote } from '../model/script.ts';
import { fileLibrary } from './lib/index.ts';
import type { LoggedIn } from './login.ts';
import type { ShellInfo } from './shell.ts';

/** Ends the script on a stream's stdin; what follows is data. */
const END = 'KX_END';

/** Builtins only: `read` takes one line and not a byte more, so that the data behind the script stays in the pipe. */
const LOADER = [
  `kx_nl=$(printf '\\n.'); kx_nl=\${kx_nl%.}; kx_l=`,
  `while IFS= read -r kx_y && [ "$kx_y" != ${END} ]; do kx_l="$kx_l$kx_y$kx_nl"; done`,
  'eval "$kx_l"',
].join('; ');

/** Starts a script with the file functions on a channel of its own; its stdin then carries data. */
export function startStream(session: LoggedIn, info: ShellInfo, script: string): Channel {
  const places = `KX_STATE=${quote(info.stateDir)} KX_RUN=${quote(info.runDir)}`;
  const prelude = `${fileLibrary}${places}\nkx_env\n`;
  session.channel.stdin.write(`${LOADER}\n${prelude}${script}\n${END}\n`);
  return session.channel;
}

/** The end of what a stream says. */
export function lastWords(stream: Readable): () => string {
  let said = '';
  stream.on('data', (chunk: Buffer) => {
    said = (said + chunk.toString('utf8')).slice(-2000);
  });
  return () => said.trim();
}
