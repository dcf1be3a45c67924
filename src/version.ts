import manifest from '../package.json' with { type: 'json' };

/** The version of the package, as `ralph --version` prints it. */
export const version: string = manifest.version;
