/** Lines over a logarithmic height, each with its name where it ends. */
import { chart, colours, type Frame, line, round, text } from './svg.ts';

export interface Series {
  label: string;
  /** From left (0) to right (1), and the value there. */
  points: [place: number, value: number][];
}

export interface Axes {
  /** Along the bottom. */
  ticks: [place: number, label: string][];
  bottom: string;
  side: string;
}

const LEFT = 76;
const TOP = 72;
const BOTTOM = 62;
const LABEL_GAP = 17;
/** Of a name beside its line, about. */
const LETTER = 7;

export function lineChart(frame: Frame, axes: Axes, series: Series[]): string {
  const longest = Math.max(...series.map(({ label }) => label.length));
  const [right, bottom] = [frame.width - 36 - longest * LETTER, frame.height - BOTTOM];
  const heights = roundValues(series.flatMap(({ points }) => points.map(([, value]) => value)));
  const [low, high] = [Math.log(heights[0] ?? 1), Math.log(heights.at(-1) ?? 10)];
  const x = (place: number) => LEFT + (right - LEFT) * place;
  const y = (value: number) => bottom - ((bottom - TOP) * (Math.log(value) - low)) / (high - low);
  const parts = heights.flatMap((value) => [
    line(LEFT, y(value), right, y(value), 'grid'),
    text(LEFT - 8, y(value) + 4, value.toLocaleString('en'), 'class="faint" text-anchor="end"'),
  ]);
  for (const [place, label] of axes.ticks) {
    parts.push(line(x(place), TOP, x(place), bottom, 'grid'));
    parts.push(text(x(place), bottom + 18, label, 'class="faint" text-anchor="middle"'));
  }
  parts.push(text((LEFT + right) / 2, bottom + 42, axes.bottom, 'text-anchor="middle"'));
  const middle = (TOP + bottom) / 2;
  parts.push(text(22, middle, axes.side, `text-anchor="middle" transform="rotate(-90 22 ${middle})"`));
  const ends = series.map(({ points }) => y(points.at(-1)?.[1] ?? 1));
  const places = apart(ends);
  for (const [index, { label, points }] of series.entries()) {
    const colour = colours[index % colours.length];
    const corners = points.map(([place, value]) => [round(x(place)), round(y(value))] as const);
    const [end, place] = [ends[index] ?? 0, places[index] ?? 0];
    const edge = x(points.at(-1)?.[0] ?? 1);
    parts.push(
      `<polyline points="${corners.join(' ')}" class="line" stroke="${colour}"/>`,
      ...corners.map(([cx, cy]) => `<circle cx="${cx}" cy="${cy}" r="3.5" fill="${colour}"/>`),
      `<polyline points="${round(edge + 6)},${round(end)} ${round(edge + 20)},${round(place)}" fill="none" stroke="${colour}"/>`,
      text(edge + 24, place + 4, label, `fill="${colour}"`),
    );
  }
  return chart(frame, parts);
}

/** 1, 2, 5, 10, 20…, from the last that is below all values to the first that is above them. */
function roundValues(values: number[]): number[] {
  const [lowest, highest] = [Math.min(...values), Math.max(...values)];
  const all: number[] = [];
  for (let power = -3; power < 8; power++) all.push(...[1, 2, 5].map((step) => Number(`${step}e${power}`)));
  const first = all.findLastIndex((value) => value <= lowest);
  const last = all.findIndex((value) => value >= highest && value > (all[first] ?? 0));
  return all.slice(first, last + 1);
}

/** The nearest heights to these at which names do not cover each other. */
function apart(heights: number[]): number[] {
  const order = [...heights.keys()].sort((a, b) => (heights[a] ?? 0) - (heights[b] ?? 0));
  const moved = [...heights];
  // Pushed down from the top, then all that touch are moved back by half of what the last one was moved.
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
