/** Which engines the configuration names: where the catalogue, the tokens and the bytes are. */
import type { Config } from './config.ts';
import { MemoryLimiter, steadyClock } from './limits/memory.ts';
import { RedisLimiter, type RedisLimiterOptions } from './limits/redis.ts';
import { openFolder } from './media/local.ts';
import type {
  Catalogue,
  CatalogueDump,
  CatalogueWriter,
  Clock,
  Files,
  Limiter,
  TokenRegister,
} from './model.ts';
import { openCatalogue } from './store/sqlite.ts';
import { checkStore, type Finding, repairStore } from './store/sqlite-check.ts';
import { openDump } from './store/sqlite-dump.ts';
import { openTokenRegister } from './store/sqlite-tokens.ts';
import { openWriter } from './store/sqlite-writer.ts';

export type { Finding };

export const catalogueOf = (config: Config): Catalogue => openCatalogue(config.databasePath);
export const dumpOf = (config: Config): CatalogueDump => openDump(config.databasePath);
export const checkOf = (config: Config): Iterable<Finding> => checkStore(config.databasePath);
export const repairOf = (config: Config): Promise<void> => repairStore(config.databasePath);
export const writerOf = (config: Config): CatalogueWriter => openWriter(config.databasePath);
export const tokensOf = (config: Config): TokenRegister => openTokenRegister(config.tokensPath);
/** Undefined where nobody is limited. */
export function limiterOf(
  { rateLimit, redisUrl }: Config,
  clock: Clock | undefined,
  onChange: RedisLimiterOptions['onChange'],
): Limiter | undefined {
  if (!rateLimit) return undefined;
  return redisUrl ? new RedisLimiter(redisUrl, { onChange }) : new MemoryLimiter(clock ?? steadyClock);
}

export const filesOf = (config: Config): Files => openFolder(config.filesDir);
