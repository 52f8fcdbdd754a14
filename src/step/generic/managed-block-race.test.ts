import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect } from 'vitest';
import { inEveryShell, runWithLibrary } from '../../../test/rig/posix-shells.ts';
import { type Host, output } from '../../model/host.ts';
import type { Script } from '../../model/script.ts';
import type { StepIo } from '../../plan/step.ts';
import { type ManagedBlock, managedBlock } from './managed-block.ts';

const { apply, revert } = managedBlock.definition;
const BLOCK = '# BEGIN KubeXM Managed Block k\n192.0.2.1 a\n# END KubeXM Managed Block k\n';

inEveryShell('a file that others edit too', (shell, test) => {
  let dir: string;
  let path: string;
  let want: ManagedBlock;
  /** What somebody else does right after the file was read. */
  let meanwhile: () => Promise<void>;

  beforeEach(async () => {
    dir = await mkdtemp(join(tmpdir(), 'kx-block-'));
    path = join(dir, 'hosts');
    want = { path, id: 'k', content: '192.0.2.1 a\n' };
    meanwhile = () => Promise.resolve();
  });
  afterEach(() => rm(dir, { recursive: true, force: true }));

  /** A host whose scripts are really run. */
  const host = (): Host => {
    let asked = 0;
    const run = async ({ script }: Script) => {
      const places = { state: join(dir, 'state'), run: join(dir, 'run') };
      const { code, stdout, stderr } = await runWithLibrary(shell, `mkdir -p "$KX_RUN"\n${script}`, places);
      if (asked++ === 0) await meanwhile();
      return output(code, stdout, stderr);
    };
    return { name: 'n1', run } as unknown as Host;
  };
  const applied = async (): Promise<void> => void (await apply(host(), want, {} as StepIo));
  const reverted = async (): Promise<void> => void (await revert?.(host(), want, { exists: true }));
  const text = (): Promise<string> => readFile(path, 'utf8');

  test('the block comes and goes, and what others wrote stays', async () => {
    await writeFile(path, '127.0.0.1 localhost\n');
    await applied();
    expect(await text()).toBe(`127.0.0.1 localhost\n${BLOCK}`);
    await reverted();
    expect(await text()).toBe('127.0.0.1 localhost\n');
  });

  test('a line that somebody else adds while the block is written is not lost', async () => {
    await writeFile(path, '127.0.0.1 localhost\n');
    meanwhile = () => writeFile(path, '127.0.0.1 localhost\n198.51.100.7 db\n');
    await expect(applied()).rejects.toMatchObject({
      code: 'KX5002',
      params: { path, host: 'n1', reason: 'somebody else has just changed it' },
    });
    expect(await text()).toBe('127.0.0.1 localhost\n198.51.100.7 db\n');
    meanwhile = () => Promise.resolve();
    await applied();
    expect(await text()).toBe(`127.0.0.1 localhost\n198.51.100.7 db\n${BLOCK}`);
  });

  test('nor one that is added while the block is taken out', async () => {
    await writeFile(path, `127.0.0.1 localhost\n${BLOCK}`);
    meanwhile = () => writeFile(path, `127.0.0.1 localhost\n${BLOCK}198.51.100.7 db\n`);
    await expect(reverted()).rejects.toMatchObject({ params: { reason: 'somebody else has just changed it' } });
    expect(await text()).toBe(`127.0.0.1 localhost\n${BLOCK}198.51.100.7 db\n`);
  });

  test('nor a file that somebody else makes in the meantime', async () => {
    meanwhile = () => writeFile(path, 'mine\n');
    await expect(applied()).rejects.toMatchObject({ params: { reason: 'somebody else has just made it' } });
    expect(await text()).toBe('mine\n');
  });
});
