/** The version and licence of the program, as its package says. */
import description from '../../package.json' with { type: 'json' };

export const version: string = description.version;
export const license: string = description.license;
