/** Charts of what was measured of the service, as SVG files. */
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { latencyAt, type Result, rateOf } from './compare.ts';
import { percentiles } from './load.ts';
import { barChart } from './plot/bars.ts';
import { lineChart } from './plot/lines.ts';
import { median } from './statistics.ts';

export async function plot(folder: string, all: Result[]): Promise<void> {
  const results = all.filter(({ server }) => server === 'zukan');
  const sizes = [...new Set(results.map(({ size }) => size))].sort((a, b) => a - b);
  const random = results.findLast(({ name }) => name === 'random');
  await mkdir(folder, { recursive: true });
  const write = (name: string, svg: string) => writeFile(join(folder, name), svg);
  await write('ratios.svg', ratios(sizes, results));
  if (sizes.length > 1) await write('sizes.svg', costs(sizes, results));
  if (random) await write('times.svg', times(random));
}

function ratios(sizes: number[], results: Result[]): string {
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
  const title = "Answers a second, as a share of a bare node:http server's";
  const subtitle = 'It sends a constant body of the same size. Whiskers: the lowest and the highest round.';
  return barChart({ width: 860, title, subtitle }, groups, 'node:http');
}

function costs(sizes: number[], results: Result[]): string {
  const [first, last] = [Math.min(3, Math.log10(sizes[0] ?? 1)), Math.max(6, Math.log10(sizes.at(-1) ?? 1))];
  const place = (size: number) => (Math.log10(size) - first) / (last - first);
  const series = [...new Set(results.map(({ title }) => title))].map((title) => ({
    label: title,
    points: results
      .filter((result) => result.title === title)
      .sort((a, b) => a.size - b.size)
      .map(({ size, measured }): [number, number] => [place(size), 1e6 / rateOf(measured)]),
  }));
  const decades = [1e3, 1e4, 1e5, 1e6].map((size): [number, string] => [place(size), grouped(size)]);
  return lineChart(
    {
      width: 860,
      height: 480,
      title: 'The cost of a request by the size of the catalogue',
      subtitle: 'The time the service takes for each of many requests at once. Both axes are logarithmic.',
    },
    { ticks: decades, bottom: 'images', side: 'µs a request' },
    series,
  );
}

function times({ size, title, measured, yardstick }: Result): string {
  const place = (index: number) => index / (percentiles.length - 1);
  const series = [
    { label: 'zukan', all: measured },
    { label: 'bare node:http', all: yardstick },
  ].map(({ label, all }) => ({
    label,
    points: percentiles.map((p, index): [number, number] => [place(index), latencyAt(p, all)]),
  }));
  const ticks = percentiles.map((p, index): [number, string] => [place(index), `${p}%`]);
  const subtitle = `${title}, ${images(size)}, under full load. The side is logarithmic.`;
  return lineChart(
    { width: 860, height: 420, title: 'How long an answer takes', subtitle },
    { ticks, bottom: 'of the answers came within', side: 'ms' },
    series,
  );
}

const grouped = (number: number) => number.toLocaleString('en');
const images = (size: number) => `${grouped(size)} images`;
