/** `npm run bench -- [name] [options]`: measurements, each in a file of its own, told as ratios. */
import { usage } from './http.ts';

const others: Record<string, string> = {
  wanted: 'random images with filters and seeds, beside any random images, on 10,000 and 1,000,000 of them',
  scale: 'the cost of a request on 10,000 and on 1,000,000 images, and of importing them',
  import: 'pictures and records a second, beside bare sharp and bare SQLite',
  postgres: 'a call on PostgreSQL with 10,000 and 1,000,000 images, beside select 1 and ORDER BY random()',
  limits: 'the cost of a rate limit decision, in memory and in Redis, and of remembering a client',
  search: "the time of a search, beside JavaScript's RegExp on the same names",
};
const lines = Object.entries(others).map(([name, what]) => `  ${name.padEnd(8)} ${what}`);
const help = [
  'The service beside a bare node:http server, over HTTP:',
  usage,
  '',
  'Or one of the others: npm run bench -- <name>',
  ...lines,
].join('\n');

const [first = '', ...rest] = process.argv.slice(2);
if (first === '--help') {
  console.log(help);
} else if (Object.hasOwn(others, first)) {
  await measure(first, rest);
} else if (first === '' || first.startsWith('--')) {
  await measure('http', process.argv.slice(2));
} else {
  console.error(help);
  process.exitCode = 2;
}

async function measure(name: string, options: string[]): Promise<void> {
  const { run } = (await import(`./${name}.ts`)) as { run: (options: string[]) => Promise<void> };
  await run(options);
}
