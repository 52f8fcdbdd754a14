import { tmpdir } from 'node:os';
import type { BuildNeed } from '../../../model/catalog/need.ts';
import type { Arch } from '../../../model/catalog/schema.ts';
import type { KubexmError } from '../../../model/errors/index.ts';
import type { AskIo, Missing } from '../../cache/types.ts';
import { mustVerify } from './build.ts';
import { compilerEnv, crossNeeds, missingNeeds, onPath, ownArch } from './cgo.ts';
import { askingEnv } from './environment.ts';
import { fetchedVersion, toolchainTrouble } from './fetch-toolchain.ts';
import { OLDEST_SWITCHING } from './go-version.ts';
import { askGo } from './installed.ts';
import { DIRECT, parseProxies } from './proxies.ts';

/** What go itself needs on this machine and does not have: a Go or a way to get one, and git where no proxy serves modules. */
export async function missingGo(cacheDir: string, by: string, io: AskIo): Promise<readonly Missing[]> {
  const go = await askGo('go', tmpdir(), io);
  const trouble = go === undefined ? await toolchainTrouble(cacheDir, io) : undefined;
  const reason = `Go ${OLDEST_SWITCHING} or later is not installed, and Go ${fetchedVersion()} cannot be fetched: ${trouble}`;
  const noGo = trouble === undefined ? [] : [{ need: 'go', by, reason }];
  const [first] = parseProxies(go?.settings['GOPROXY'] ?? io.env['GOPROXY']);
  const needsGit = first?.url === DIRECT && !(await onPath('git', io.env['PATH']));
  return [...noGo, ...(needsGit ? [{ need: 'git', by }] : [])];
}

/** What a recipe's C compiler and libraries lack, by the names that recipes use; those of another processor by Debian's. */
export async function missingForC(build: BuildNeed, arch: Arch, by: string, io: AskIo): Promise<readonly Missing[]> {
  if (!build.cgo) return [];
  const env = { ...askingEnv(io.env), ...compilerEnv(arch, io.env) };
  const missing = await missingNeeds(build, arch, { cwd: tmpdir(), env, signal: io.signal });
  const foreign = arch === ownArch() ? {} : { arch };
  return crossNeeds(missing, arch).map((need) => ({ need, by, ...foreign }));
}

/** Why builds are refused: the user has switched verification off and not said that kubexm may do without. */
export async function unverifiable(io: AskIo, unverified: boolean): Promise<KubexmError | undefined> {
  const settings = (await askGo('go', tmpdir(), io))?.settings ?? { GOSUMDB: io.env['GOSUMDB'] ?? '' };
  try {
    mustVerify(settings, unverified);
    return undefined;
  } catch (error) {
    return error as KubexmError;
  }
}
