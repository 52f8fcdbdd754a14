import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { GoModule } from '../../../model/catalog/need.ts';
import { kubexmError } from '../../../model/errors/index.ts';
import type { SupplyIo } from '../../cache/types.ts';
import { within } from './build.ts';
import { downloadModules } from './modules.ts';
import { Session } from './session.ts';

/** Reads files of a module, verified as all modules are. Several of them become documents of one YAML file. */
export async function goModuleFiles(
  module: GoModule,
  files: readonly string[],
  cacheDir: string,
  io: SupplyIo,
): Promise<string> {
  const what = `${module.path} ${module.version}`;
  return await within(what, cacheDir, io, async (directory, go) => {
    const session = new Session(go, { what, arch: 'amd64', cgo: false, directory }, io);
    try {
      session.progress.enter(`downloading ${what}`);
      const [found] = await downloadModules([module], session);
      const texts = await Promise.all(
        files.map((file) =>
          readFile(join(found?.directory ?? directory, file), 'utf8').catch((error: unknown) => {
            throw kubexmError('KX7017', { source: what, item: file }, { cause: error });
          }),
        ),
      );
      return texts.join('\n---\n');
    } finally {
      session.progress.stop();
    }
  });
}
