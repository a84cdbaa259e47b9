/** What the server and its handlers work with. */
import type { IncomingMessage } from 'node:http';
import type { Cursors } from '../access/cursors.ts';
import type { FileLinks } from '../access/file-links.ts';
import type { LinkSigner } from '../access/link-signer.ts';
import type { TokenStore } from '../access/token-store.ts';
import type { Catalogue } from '../catalogue/catalogue.ts';
import type { Clock } from '../clock.ts';
import type { Limiter } from '../limits/limiter.ts';
import type { Files } from '../media/files.ts';
import type { Monitored } from '../metrics.ts';
import type { RandomInt } from '../random.ts';
import type { LimiterCounters } from './metrics/limiter.ts';

export interface Services {
  store: Monitored;
  catalogue: Catalogue;
  tokens: TokenStore;
  files: Files;
  /** Makes the links of answers. */
  links: LinkSigner;
  /** Verifies the links to files that we send ourselves. */
  fileLinks: FileLinks;
  linkLifetime: number;
  /** Makes and reads the cursors of walks. */
  cursors: Cursors;
  clock: Clock;
  randomInt: RandomInt;
  /** Undefined where nobody is limited. */
  limiter: Limiter | undefined;
  /** Counts what it decides. */
  decisions: LimiterCounters;
  /** Whom the rate limit counts a request to. */
  clientOf: (request: IncomingMessage) => string;
  /** The origin of links to files, for a request. */
  originOf: (request: IncomingMessage) => string;
}
