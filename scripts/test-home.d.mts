/** A home in a directory: the environment that leads there, the caches beside it, and the home of the user. */
export function ownHome(
  dir: string,
  env?: NodeJS.ProcessEnv,
): {
  readonly user: string;
  readonly caches: readonly string[];
  readonly env: Readonly<Record<string, string | undefined>>;
};

/** What kubexm and its neighbours have in a home. */
export function pictureOfHome(user: string): Map<string, string>;

/** What was changed, added or removed there since. */
export function changedInHome(user: string, before: Map<string, string>): readonly string[];
