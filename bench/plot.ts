/** Writes charts of the results of zukan as SVG files. */
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { medianCpu, medianLatency, type Result } from './baseline.ts';
import { percentiles } from './load.ts';
import { barChart } from './plot/bars.ts';
import { lineChart } from './plot/lines.ts';
import { median } from './statistics.ts';

export async function plot(folder: string, all: Result[]): Promise<void> {
  // Of several numbers of workers, the first.
  const results = all.filter(({ server, workers }) => server === 'zukan' && workers === all[0]?.workers);
  const sizes = [...new Set(results.map(({ size }) => size))].sort((a, b) => a - b);
  const random = results.findLast(({ name }) => name === 'random');
  await mkdir(folder, { recursive: true });
  const write = (name: string, svg: string) => writeFile(join(folder, name), svg);
  await write('ratios.svg', ratioChart(sizes, results));
  if (sizes.length > 1) await write('sizes.svg', sizeChart(sizes, results));
  if (random) await write('times.svg', latencyChart(random));
}

function ratioChart(sizes: number[], results: Result[]): string {
  const groups = sizes.map((size) => ({
    title: images(size),
    bars: results
      .filter((result) => result.size === size)
      .map(({ title, ratios }) => ({
        label: title,
        value: median(ratios),
        lowest: Math.min(...ratios),
        highest: Math.max(...ratios),
      })),
  }));
  const title = 'CPU time per request of a bare node:http server, relative to that of zukan';
  const subtitle = 'The baseline sends a constant body of the same size. Whiskers: lowest and highest round.';
  return barChart({ width: 860, title, subtitle }, groups, 'node:http');
}

function sizeChart(sizes: number[], results: Result[]): string {
  const [first, last] = [Math.min(3, Math.log10(sizes[0] ?? 1)), Math.max(6, Math.log10(sizes.at(-1) ?? 1))];
  const position = (size: number) => (Math.log10(size) - first) / (last - first);
  const series = [...new Set(results.map(({ title }) => title))].map((title) => ({
    label: title,
    points: results
      .filter((result) => result.title === title)
      .sort((a, b) => a.size - b.size)
      .map(({ size, measured }): [number, number] => [position(size), medianCpu(measured)]),
  }));
  const decades = [1e3, 1e4, 1e5, 1e6].map((size): [number, string] => [position(size), formatCount(size)]);
  return lineChart(
    {
      width: 860,
      height: 480,
      title: 'Cost of a request by catalogue size',
      subtitle: 'CPU time per request, all threads. Both axes are logarithmic.',
    },
    { ticks: decades, bottom: 'images', side: 'µs per request' },
    series,
  );
}

function latencyChart({ size, title, measured, baseline }: Result): string {
  const position = (index: number) => index / (percentiles.length - 1);
  const series = [
    { label: 'zukan', all: measured },
    { label: 'bare node:http', all: baseline },
  ].map(({ label, all }) => ({
    label,
    points: percentiles.map((p, index): [number, number] => [position(index), medianLatency(p, all)]),
  }));
  const ticks = percentiles.map((p, index): [number, string] => [position(index), `${p}%`]);
  const subtitle = `${title}, ${images(size)}, under full load. The vertical axis is logarithmic.`;
  return lineChart(
    { width: 860, height: 420, title: 'Response time', subtitle },
    { ticks, bottom: 'percentile of responses', side: 'ms' },
    series,
  );
}

const formatCount = (number: number) => number.toLocaleString('en');
const images = (size: number) => `${formatCount(size)} images`;
