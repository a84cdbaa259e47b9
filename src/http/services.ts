/** What the server and its handlers work with. */
import type { IncomingMessage } from 'node:http';
import type { Cursors } from '../access/cursors.ts';
import type { Links } from '../access/links.ts';
import type { Catalogue, Chance, Clock, Files, Limiter, LinkMaker, TokenRegister } from '../model.ts';
import type { Decisions } from './metrics/limiter.ts';

export interface Services {
  catalogue: Catalogue;
  tokens: TokenRegister;
  files: Files;
  /** Makes the links of answers. */
  links: LinkMaker;
  /** Verifies the links to files that we send ourselves. */
  fileLinks: Links;
  linkLifetime: number;
  /** Makes and reads the cursors of walks. */
  cursors: Cursors;
  clock: Clock;
  chance: Chance;
  /** Undefined where nobody is limited. */
  limiter: Limiter | undefined;
  /** Counts what it decides. */
  decisions: Decisions;
  /** Whom the rate limit counts a request to. */
  clientOf: (request: IncomingMessage) => string;
  /** The origin of links to files, for a request. */
  originOf: (request: IncomingMessage) => string;
}
