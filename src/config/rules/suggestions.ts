import { type ConfigKind, type FlagComponent, settingsOfVersion } from '../../model/cluster/component-flags.ts';
import { nearest } from '../../model/cluster/nearest.ts';

/** The flag or field that somebody probably meant. */
export type Suggest = (owner: FlagComponent | ConfigKind, name: string) => string | undefined;

/** Looking for names that look alike takes time, and nobody reads the hundredth message. */
const ENOUGH = 100;

/** Suggestions among what a version, without its `v`, knows. */
export function suggestions(version: string): Suggest {
  let told = 0;
  return (owner, name) => {
    told += 1;
    return told > ENOUGH ? undefined : nearest(name, settingsOfVersion(owner, version));
  };
}
