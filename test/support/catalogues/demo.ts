import { fillWithDemo } from '../../../src/cli/serving/serve.ts';
import type { Config } from '../../../src/config/config.ts';
import { createCatalogue } from '../../../src/server/engines.ts';
import { temporaryFolder } from '../workspace.ts';
import { configFor } from '../zukan/service.ts';

/** A new catalogue with the demo. */
export async function restoreDemo(environment: Record<string, string> = {}): Promise<Config> {
  const config = configFor(temporaryFolder(), environment);
  await createCatalogue(config);
  await fillWithDemo(config);
  return config;
}
