/** `npm run bench -- [benchmark] [options]` runs one benchmark. Each is a module of this folder that exports `run`. */

/** To register a benchmark, add its file name and a summary. */
const benchmarks: Record<string, string> = {
  http: 'each endpoint against a bare node:http server (the default)',
  compare: 'each endpoint of this checkout against another checkout: compare <folder>',
  costs: 'CPU time of calls with each filter, with 10,000 images and with 1,000,000',
  start: 'the time from zukan serve to listening, against zukan --version',
  scale: 'requests and imports with 10,000 images against 1,000,000',
  import: 'importing images and records, against bare sharp and bare SQLite',
  limits: 'rate limit decisions in memory and in Redis, and memory per client',
  commits: 'CPU time of one edit, with catalogues of several sizes',
  studio: 'the studio in Chromium with 20,000 pictures',
};

const DEFAULT = 'http';

interface Benchmark {
  /** The options, for modules that have any. */
  usage?: string;
  run(options: string[]): Promise<void>;
}

const help = [
  'Usage: npm run bench -- [benchmark] [options]',
  '       npm run bench -- <benchmark> --help',
  '',
  'Benchmarks:',
  ...Object.entries(benchmarks).map(([name, summary]) => `  ${name.padEnd(9)} ${summary}`),
].join('\n');

const [first = DEFAULT, ...rest] = process.argv.slice(2);
if (first === '--help') {
  console.log(help);
} else if (first.startsWith('--')) {
  await runBenchmark(DEFAULT, [first, ...rest]);
} else if (Object.hasOwn(benchmarks, first)) {
  await runBenchmark(first, rest);
} else {
  console.error(`unknown benchmark: ${first}\n\n${help}`);
  process.exitCode = 2;
}

async function runBenchmark(name: string, options: string[]): Promise<void> {
  const { usage, run } = (await import(`./${name}.ts`)) as Benchmark;
  if (options.includes('--help')) console.log(usage ?? `${name}: ${benchmarks[name]}. It has no options.`);
  else await run(options);
}
