import type { FileNeed, ImageNeed } from '../../../model/catalog/need.ts';
import type { Credentials } from '../../oci/index.ts';
import type { Owner, Places } from './file.ts';
import type { RegistryAccess } from './image.ts';
import type { WebOptions } from './web.ts';

/** A source of the network: where it has files and images. */
export interface NetworkSource {
  readonly name: string;
  /** Whose servers these are. */
  readonly of: Owner;
  readonly options: WebOptions;
  /** Undefined: not here. */
  readonly files: (need: FileNeed) => Places | undefined;
  /** Empty: not here. */
  readonly images: (need: ImageNeed) => readonly string[];
  readonly credentials?: (() => Credentials) | undefined;
}

/** How the registries of a source are reached. */
export function accessOf({ options, credentials, of }: NetworkSource): RegistryAccess {
  const plain = options.plainRegistries ?? [];
  return { credentials, plainHttp: (name) => plain.includes(name), of };
}
