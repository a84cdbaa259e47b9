/** `npm run bench -- <name> [options]`: measurements, each in a file of its own, told as ratios. */
const benchmarks: Record<string, string> = {
  scale: 'the cost of a request on 10,000 and on 1,000,000 images, and of importing them',
  import: 'pictures and records a second, beside bare sharp and bare SQLite',
  postgres: 'a call on PostgreSQL with 10,000 and 1,000,000 images, beside select 1 and ORDER BY random()',
  limits: 'the cost of a rate limit decision, in memory and in Redis, and of remembering a client',
  search: "the time of a search, beside JavaScript's RegExp on the same names",
};

const [name = '', ...options] = process.argv.slice(2);
if (Object.hasOwn(benchmarks, name)) {
  const { run } = (await import(`./${name}.ts`)) as { run: (options: string[]) => Promise<void> };
  await run(options);
} else {
  const lines = Object.entries(benchmarks).map(([known, what]) => `  ${known.padEnd(8)} ${what}`);
  console.error(['Usage: npm run bench -- <name> [options]', ...lines].join('\n'));
  process.exitCode = 2;
}
