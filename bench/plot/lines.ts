/** A line chart with a logarithmic vertical axis. Each line has its label at its right end. */
import { chart, colours, type Frame, line, round, text } from './svg.ts';

export interface Series {
  label: string;
  /** The position from left (0) to right (1), and the value. */
  points: [position: number, value: number][];
}

export interface Axes {
  /** On the horizontal axis. */
  ticks: [position: number, label: string][];
  bottom: string;
  side: string;
}

const LEFT = 76;
const TOP = 72;
const BOTTOM = 62;
const LABEL_GAP = 17;
/** The approximate width of a letter in a label. */
const LETTER_WIDTH = 7;

export function lineChart(frame: Frame, axes: Axes, series: Series[]): string {
  const longest = Math.max(...series.map(({ label }) => label.length));
  const [right, bottom] = [frame.width - 36 - longest * LETTER_WIDTH, frame.height - BOTTOM];
  const heights = roundValues(series.flatMap(({ points }) => points.map(([, value]) => value)));
  const [low, high] = [Math.log(heights[0] ?? 1), Math.log(heights.at(-1) ?? 10)];
  const x = (position: number) => LEFT + (right - LEFT) * position;
  const y = (value: number) => bottom - ((bottom - TOP) * (Math.log(value) - low)) / (high - low);
  const parts = heights.flatMap((value) => [
    line(LEFT, y(value), right, y(value), 'grid'),
    text(LEFT - 8, y(value) + 4, value.toLocaleString('en'), 'class="faint" text-anchor="end"'),
  ]);
  for (const [position, label] of axes.ticks) {
    parts.push(line(x(position), TOP, x(position), bottom, 'grid'));
    parts.push(text(x(position), bottom + 18, label, 'class="faint" text-anchor="middle"'));
  }
  parts.push(text((LEFT + right) / 2, bottom + 42, axes.bottom, 'text-anchor="middle"'));
  const middle = (TOP + bottom) / 2;
  parts.push(text(22, middle, axes.side, `text-anchor="middle" transform="rotate(-90 22 ${middle})"`));
  const ends = series.map(({ points }) => y(points.at(-1)?.[1] ?? 1));
  const labelHeights = spreadOut(ends);
  for (const [index, { label, points }] of series.entries()) {
    const colour = colours[index % colours.length];
    const corners = points.map(([position, value]) => [round(x(position)), round(y(value))] as const);
    const [end, labelHeight] = [ends[index] ?? 0, labelHeights[index] ?? 0];
    const edge = x(points.at(-1)?.[0] ?? 1);
    parts.push(
      `<polyline points="${corners.join(' ')}" class="line" stroke="${colour}"/>`,
      ...corners.map(([cx, cy]) => `<circle cx="${cx}" cy="${cy}" r="3.5" fill="${colour}"/>`),
      `<polyline points="${round(edge + 6)},${round(end)} ${round(edge + 20)},${round(labelHeight)}" fill="none" stroke="${colour}"/>`,
      text(edge + 24, labelHeight + 4, label, `fill="${colour}"`),
    );
  }
  return chart(frame, parts);
}

/** The steps 1, 2, 5, 10, 20… that cover all values. */
function roundValues(values: number[]): number[] {
  const [lowest, highest] = [Math.min(...values), Math.max(...values)];
  const all: number[] = [];
  for (let power = -3; power < 8; power++) all.push(...[1, 2, 5].map((step) => Number(`${step}e${power}`)));
  const first = all.findLastIndex((value) => value <= lowest);
  const last = all.findIndex((value) => value >= highest && value > (all[first] ?? 0));
  return all.slice(first, last + 1);
}

/** Moves labels so that they do not overlap, as little as possible. */
function spreadOut(heights: number[]): number[] {
  const order = [...heights.keys()].sort((a, b) => (heights[a] ?? 0) - (heights[b] ?? 0));
  const moved = [...heights];
  // Push overlapping labels down from the top, then move the whole group up by half of the last one's shift.
  for (let from = 0; from < order.length; ) {
    let to = from + 1;
    const at = (index: number) => heights[order[index] ?? 0] ?? 0;
    while (to < order.length && at(to) < at(from) + LABEL_GAP * (to - from)) to++;
    const excess = Math.max(0, at(from) + LABEL_GAP * (to - 1 - from) - at(to - 1)) / 2;
    for (let index = from; index < to; index++)
      moved[order[index] ?? 0] = at(from) - excess + LABEL_GAP * (index - from);
    from = to;
  }
  return moved;
}
