// The scales of a latency plot: time from left to right, microseconds on a logarithmic scale.

export interface PlotScale {
  x(time: number): number;
  y(micros: number): number;
  /** Values that have a line of their own: powers of ten. */
  ticks: number[];
  from: number;
  to: number;
}

export function plotScale(samples: [number, number][], width: number, height: number): PlotScale {
  const times = samples.map(([time]) => time);
  const values = samples.map(([, micros]) => Math.max(1, micros));
  const from = least(times);
  const to = greatest(times);
  const low = Math.floor(Math.log10(least(values)));
  const high = Math.max(low + 1, Math.ceil(Math.log10(greatest(values))));
  const ticks: number[] = [];
  for (let power = low; power <= high; power += 1) ticks.push(10 ** power);
  return {
    x: (time) => (to === from ? width / 2 : ((time - from) / (to - from)) * width),
    y: (micros) => height - ((Math.log10(Math.max(1, micros)) - low) / (high - low)) * height,
    ticks,
    from,
    to,
  };
}

/** `Math.min(...values)` fails for long lists. */
function least(values: number[]): number {
  return values.reduce((one, other) => Math.min(one, other), Number.POSITIVE_INFINITY);
}

function greatest(values: number[]): number {
  return values.reduce((one, other) => Math.max(one, other), Number.NEGATIVE_INFINITY);
}
