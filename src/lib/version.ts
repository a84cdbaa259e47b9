/** The version and licence of the program, as its package says. */
import description from '../../package.json' with { type: 'json' };

export const version: string = description.version;
export const license: string = description.license;

/** Why a catalogue or backup is refused. */
export const BEFORE_1_0 =
  'was made by a version of zukan before 1.0; upgrade with zukan 1.0.0 first, as "Upgrade" in docs/versioning.md describes';
