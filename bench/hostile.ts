/** The service under hostile patterns and clients. */
import { measureHostileClients } from './hostile-clients.ts';
import { measureHostileSearches } from './hostile-searches.ts';

export async function run(): Promise<void> {
  await measureHostileSearches();
  await measureHostileClients();
}
