/** A horizontal bar chart in groups, with whiskers for the spread and a marker at 1. */
import { chart, colours, type Frame, line, round, text } from './svg.ts';

export interface Bar {
  label: string;
  value: number;
  lowest: number;
  highest: number;
}

export interface Group {
  title: string;
  bars: Bar[];
}

const LEFT = 260;
const RIGHT = 70;
const TOP = 84;
const ROW = 24;
const HEADING = 34;

export function barChart(frame: Omit<Frame, 'height'>, groups: Group[], marker: string): string {
  const rows = groups.reduce((sum, { bars }) => sum + HEADING + bars.length * ROW, 0);
  const bottom = TOP + rows;
  const highest = Math.max(...groups.flatMap(({ bars }) => bars.map((bar) => bar.highest)));
  const end = Math.max(1.2, Math.ceil(highest * 5) / 5);
  const x = (value: number) => LEFT + ((frame.width - LEFT - RIGHT) * value) / end;
  const parts: string[] = [];
  for (let fifth = 0; fifth <= Math.round(end * 5); fifth++) {
    parts.push(line(x(fifth / 5), TOP, x(fifth / 5), bottom, 'grid'));
    parts.push(text(x(fifth / 5), bottom + 18, (fifth / 5).toFixed(1), 'class="faint" text-anchor="middle"'));
  }
  let y = TOP;
  for (const { title, bars } of groups) {
    parts.push(text(16, y + 22, title, 'class="strong"'));
    y += HEADING;
    for (const bar of bars) {
      parts.push(...drawBar(bar, x, y));
      parts.push(text(frame.width - 16, y + ROW / 2 + 4, bar.value.toFixed(2), 'text-anchor="end"'));
      y += ROW;
    }
  }
  parts.push(line(x(1), TOP, x(1), bottom, 'mark'), text(x(1), TOP - 8, marker, 'text-anchor="middle"'));
  return chart({ ...frame, height: bottom + 34 }, parts);
}

function drawBar({ label, value, lowest, highest }: Bar, x: (value: number) => number, y: number): string[] {
  const middle = y + ROW / 2;
  const ends = [lowest, highest].map((at) => line(x(at), middle - 4, x(at), middle + 4, 'whisker'));
  return [
    text(LEFT - 10, middle + 4, label, 'text-anchor="end"'),
    `<rect x="${LEFT}" y="${y + 4}" width="${round(x(value) - LEFT)}" height="${ROW - 8}" fill="${colours[0]}"/>`,
    line(x(lowest), middle, x(highest), middle, 'whisker'),
    ...ends,
  ];
}
