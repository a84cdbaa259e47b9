/** The dependencies of the server and its handlers. */
import type { IncomingMessage } from 'node:http';
import type { Cursors } from '../access/cursors.ts';
import type { ClientBudget, Exemptions, Limiter } from '../access/limiter.ts';
import type { FileLinks, LinkSigner } from '../access/links.ts';
import type { TokenStore } from '../access/tokens.ts';
import type { Catalogue } from '../catalogue/catalogue.ts';
import type { Rating } from '../catalogue/types.ts';
import type { LimiterCounters } from '../http/traffic.ts';
import type { Clock } from '../lib/clock.ts';
import type { Disk } from '../lib/disk-space.ts';
import type { MetricsReport, Monitored } from '../lib/metrics.ts';
import type { RandomInt } from '../lib/random.ts';
import type { Tuning } from '../lib/tuning.ts';
import type { Files, ThumbnailMaker } from '../media/files.ts';
import type { LastBackup } from '../store/contract/last-backup.ts';

/** What makes the gallery the operator's own. */
export interface Site {
  name: string;
  logo: { bytes: Buffer; type: string; width: number; height: number } | undefined;
  /** `#rrggbb`; undefined: that of the stylesheet. */
  accent: string | undefined;
  /** The ratings that the gallery shows until the visitor chooses others. */
  ratings: readonly Rating[];
  /** Where to report an image, with `{id}` in place of its id. ASCII only. */
  reportUrl: string | undefined;
}

export interface Services {
  store: Monitored & { lastBackup(): Promise<LastBackup | undefined> };
  catalogue: Catalogue;
  tokens: TokenStore;
  files: Files;
  thumbnails: ThumbnailMaker;
  /** Signs the links in responses. */
  links: LinkSigner;
  /** Verifies links to files that this service sends itself. */
  fileLinks: FileLinks;
  /** In seconds. */
  linkLifetime: number;
  /** In seconds: of the pictures in link previews. */
  previewLifetime: number;
  site: Site;
  /** The ratings that calls without `nsfw` return. */
  apiRatings: readonly Rating[];
  cursors: Cursors;
  tuning: Tuning;
  clock: Clock;
  randomInt: RandomInt;
  /** Undefined if rate limiting is off. */
  limiter: Limiter | undefined;
  /** Which calls may be exempt from the rate limit. */
  exemptions: Exemptions;
  /** How often a client is sent to a file. */
  fileBudget: ClientBudget;
  /** How often pages look something up for a client. */
  previewLookups: ClientBudget;
  /** Whether the client is in a network without a rate limit. */
  isInExemptNetwork: (request: IncomingMessage) => boolean;
  /** Told of each request that counts for the rate limit: notices a proxy that hides its clients. */
  noticeClient: (client: string) => void;
  /** Counts the decisions of the limiter. */
  decisions: LimiterCounters;
  /** The reports of all workers of this process. The only worker of a process makes its `own`. */
  collectReports: (own: () => Promise<MetricsReport>, withMetrics: boolean) => Promise<MetricsReport[]>;
  /** The disks that the catalogue and its files are on, as far as they can be measured. */
  disks: () => Disk[];
  /** Identifies the client of a request for the rate limit. */
  clientOf: (request: IncomingMessage) => string;
  /** Whether the client may read the metrics and the details of the readiness check. */
  mayMonitor: (request: IncomingMessage) => boolean;
  /** The origin of the links in the response to a request. Without headers it is the same for everyone. */
  originOf: (request: Pick<IncomingMessage, 'headers' | 'socket'>) => string;
}
