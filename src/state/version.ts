import manifest from '../../package.json' with { type: 'json' };

/** The version of kubexm. */
export const version: string = manifest.version;
