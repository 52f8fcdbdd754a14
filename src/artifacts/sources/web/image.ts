import { KubexmError, kubexmError } from '../../../model/errors/index.ts';
import type { ImageJob, Supplied, SupplyIo } from '../../cache/types.ts';
import {
  type BlobStore,
  type Credentials,
  formatReference,
  openRegistry,
  parseReference,
  type Reference,
  type Registry,
} from '../../oci/index.ts';
import { imageTar } from '../image/index.ts';
import { UNTRUSTED } from '../untrusted.ts';
import type { Owner } from './file.ts';
import { askSeconds, type Presence } from './presence.ts';
import { isPlain, refusePlain, type Web } from './web.ts';

/** How the registries of a source are reached. */
export interface RegistryAccess {
  readonly credentials?: (() => Credentials) | undefined;
  readonly plainHttp: (registry: string) => boolean;
  readonly of: Owner;
}

/** What is wrong with this machine is wrong for every registry; and who is in between must not decide which one is asked. */
const FINAL: readonly string[] = ['KX7122', ...UNTRUSTED];

/** Pulls an image for one processor from the first reference that has it, and writes it as a tar under the name that the cluster gives it. */
export async function fetchImage(
  web: Web,
  job: ImageJob,
  references: readonly string[],
  access: RegistryAccess,
  store: BlobStore,
  io: SupplyIo,
): Promise<Supplied> {
  const parsed = references.map(parseReference);
  const silent = await Promise.all(
    parsed.map(({ registry }) => web.reach.whyNot(originOf(registry, access), web.way, io.signal)),
  );
  const errors: KubexmError[] = [];
  for (const [i, reference] of parsed.entries()) {
    const why = silent[i];
    try {
      if (why !== undefined) throw why;
      if (reference.digest === undefined) refusePlain(web, originOf(reference.registry, access), job.image.upstream);
      return await pulled(web, job, reference, access, store, io);
    } catch (error) {
      io.signal.throwIfAborted();
      if (!(error instanceof KubexmError) || FINAL.includes(error.code)) throw error;
      errors.push(error);
    }
  }
  const said = errors.findLast(({ code }) => code !== 'KX7070') ?? errors.at(-1);
  if (said === undefined)
    throw kubexmError('KX7072', { file: job.image.upstream, host: 'nowhere', reason: 'no address is known' });
  if (errors.length === 1) throw said;
  throw new KubexmError(said.code, said.params, {
    cause: said,
    detail: errors.map(({ message }) => message).join('\n'),
  });
}

async function pulled(
  web: Web,
  job: ImageJob,
  reference: Reference,
  access: RegistryAccess,
  store: BlobStore,
  io: SupplyIo,
): Promise<Supplied> {
  const { registry: name } = reference;
  const registry = opened(web, reference, access);
  try {
    io.say(`pulling ${job.image.upstream}`);
    const { root } = await registry.pull(store, reference, {
      platforms: [{ os: 'linux', architecture: job.arch }],
      signal: io.signal,
      progress: ({ allDone, allSize }) => io.progress(allDone, allSize),
    });
    const tar = await imageTar(store, job.image.reference, root, job.arch, io);
    return { ...tar, vouched: isPlain(originOf(name, access)) ? 'nobody' : access.of };
  } finally {
    registry.close();
  }
}

/** Why an image does not come from the first reference that has it; undefined where it does. Gets nothing. */
export async function whyNoImage(
  web: Web,
  presence: Presence,
  image: string,
  references: readonly string[],
  access: RegistryAccess,
): Promise<readonly (KubexmError | undefined)[]> {
  return await Promise.all(
    references.map(parseReference).map(async (reference) => {
      const origin = originOf(reference.registry, access);
      const silent = await web.reach.whyNot(origin, web.way, web.signal);
      if (silent !== undefined) return silent;
      return await presence.once(formatReference(reference), async () => {
        const patience = { attempts: 1, delaySeconds: 0 };
        const registry = opened({ ...web, patience, stallSeconds: askSeconds(web) }, reference, access);
        try {
          if (reference.digest === undefined) refusePlain(web, origin, image);
          const found = await registry.resolve(reference, web.signal);
          return found === undefined ? kubexmError('KX7107', { registry: reference.registry, what: image }) : undefined;
        } catch (error) {
          web.signal.throwIfAborted();
          if (error instanceof KubexmError) return error;
          throw error;
        } finally {
          registry.close();
        }
      });
    }),
  );
}

function opened({ stallSeconds, patience, way }: Web, { registry }: Reference, access: RegistryAccess): Registry {
  return openRegistry({
    registry,
    plainHttp: access.plainHttp(registry),
    ...(way.ca === undefined ? {} : { ca: way.ca }),
    ...(access.credentials === undefined ? {} : { credentials: access.credentials }),
    proxyFor: way.proxyFor,
    stallSeconds,
    ...patience,
  });
}

function originOf(registry: string, access: Pick<RegistryAccess, 'plainHttp'>): URL {
  // The one registry whose references do not name its host.
  const host = registry === 'docker.io' ? 'registry-1.docker.io' : registry;
  return new URL(`${access.plainHttp(registry) ? 'http' : 'https'}://${host}`);
}
