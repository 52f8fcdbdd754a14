import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { runProcess } from './process.ts';

/** The programs we compare ourselves with. */
export interface Peers {
  readonly bin: string;
  readonly ansible: string;
  readonly pyinfra: string;
}

const PACKAGES = ['ansible-core==2.19.*', 'pyinfra==3.*'];

/** Python programs from PyPI, in an environment of their own in the user's cache. Made when missing. */
export async function peers(): Promise<Peers> {
  const cache = process.env['XDG_CACHE_HOME'] || join(homedir(), '.cache');
  const venv = join(cache, 'kubexm', 'bench-venv');
  const stamp = join(venv, 'installed.txt');
  const wanted = PACKAGES.join('\n');
  const bin = join(venv, 'bin');
  if (!existsSync(stamp) || readFileSync(stamp, 'utf8') !== wanted) {
    process.stderr.write(`installing ${PACKAGES.join(' and ')} for comparison, into the user's cache\n`);
    rmSync(venv, { recursive: true, force: true });
    await runProcess('python3', ['-m', 'venv', venv]);
    await runProcess(join(bin, 'pip'), ['install', '--quiet', ...PACKAGES], { timeoutSeconds: 1800 });
    writeFileSync(stamp, wanted);
  }
  return { bin, ansible: await version(bin, 'ansible-core'), pyinfra: await version(bin, 'pyinfra') };
}

async function version(bin: string, name: string): Promise<string> {
  const code = `import importlib.metadata; print(importlib.metadata.version(${JSON.stringify(name)}))`;
  const { stdout } = await runProcess(join(bin, 'python'), ['-c', code]);
  return stdout.trim();
}
