/** `npm run test:search -- [count] [seed]` compares our matcher with PostgreSQL on any number of generated patterns. */
import { startPostgres } from '../../support/servers/postgres.ts';
import { differences, generatePatterns } from './compare.ts';

const [count = '100000', seed = String(Date.now() % 1e9)] = process.argv.slice(2);
const BATCH_SIZE = 5000;
const postgres = await startPostgres();
let found = 0;
for (let done = 0; done < Number(count); done += BATCH_SIZE) {
  for (const difference of differences(postgres, generatePatterns(BATCH_SIZE, Number(seed) + done))) {
    found++;
    console.log(JSON.stringify(difference));
  }
  console.error(`${done + BATCH_SIZE} patterns from seed ${seed}, ${found} differences`);
}
await postgres.discard();
process.exitCode = found > 0 ? 1 : 0;
