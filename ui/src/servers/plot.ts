// A plot of how long the calls of a tool took: a dot for each call, lines for p50, p90 and p99. All
// dots are one path, so that many plots stay cheap.
import { html, nothing, svg, type TemplateResult } from "lit";
import type { ToolUse } from "../contract";
import { safeText } from "../safe-text";
import { formatMicros, formatMoment, plural } from "../text";
import { plotScale, type PlotScale } from "./scale";

/** The newest samples are plotted. */
const most = 500;

function dots(samples: [number, number][], scale: PlotScale): string {
  return samples.map(([time, micros]) => `M${scale.x(time).toFixed(1)} ${scale.y(micros).toFixed(1)}h0`).join("");
}

function percentiles(tool: ToolUse): [string, number][] {
  return (["p50", "p90", "p99"] as const).flatMap((name) => {
    const value = tool[name];
    return value === null || value === undefined ? [] : [[name, value] as [string, number]];
  });
}

/** The plots of table rows, without axes. Each is drawn once; scrolling only puts it in place. */
export class SmallPlots {
  private readonly paths = new WeakMap<ToolUse, { path: string; scale: PlotScale }>();

  plot(tool: ToolUse): TemplateResult {
    if (!tool.samples.length) return html`<span class="quiet">–</span>`;
    let drawn = this.paths.get(tool);
    if (!drawn) this.paths.set(tool, (drawn = this.draw(tool)));
    const { path, scale } = drawn;
    return html`<svg class="plot small-plot" viewBox="-2 -3 160 32" width="160" height="32" aria-hidden="true">
      ${percentiles(tool).map(([name, value]) => line(name, scale.y(value), 156))}
      <path class="dots" d=${path}></path></svg>`;
  }

  /** More dots than there are pixels show nothing more. */
  private draw(tool: ToolUse): { path: string; scale: PlotScale } {
    const samples = tool.samples.slice(-most);
    const scale = plotScale(samples, 156, 26);
    const each = Math.ceil(samples.length / 160);
    return { path: dots(samples.filter((_, index) => index % each === 0), scale), scale };
  }
}

/** The plot of the selected tool, with its scale. */
export function largePlot(tool: ToolUse): TemplateResult {
  const samples = tool.samples.slice(-most);
  if (!samples.length) return html`<p class="quiet">No call of this tool was measured in the last 7 days.</p>`;
  const width = 640;
  const height = 180;
  const scale = plotScale(samples, width, height);
  const values = percentiles(tool);
  const summary = values.map(([name, value]) => `${name} ${formatMicros(value)}`).join(", ");
  return html`<figure class="large-plot">
    <svg class="plot" viewBox="-64 -10 720 226" role="img" aria-label=${`Latency of ${safeText(tool.name)}: ${plural(samples.length, "call")}, ${summary}`}>
      ${scale.ticks.map((tick) => svg`<line class="grid" x1="0" x2=${width} y1=${scale.y(tick)} y2=${scale.y(tick)}></line>
        <text class="tick" x="-8" y=${scale.y(tick) + 4} text-anchor="end">${formatMicros(tick)}</text>`)}
      ${values.map(([name, value]) => line(name, scale.y(value), width))}
      <path class="dots" d=${dots(samples, scale)}></path>
      ${labels(values, scale, width)}
      <text class="tick" x="0" y=${height + 24}>${formatMoment(new Date(scale.from).toISOString())}</text>
      <text class="tick" x=${width} y=${height + 24} text-anchor="end">${formatMoment(new Date(scale.to).toISOString())}</text>
    </svg>
    <figcaption class="quiet">Each dot is a call, newest at the right. ${values.length ? `Lines: ${summary}.` : nothing}</figcaption></figure>`;
}

function line(name: string, y: number, width: number): TemplateResult {
  return svg`<line class=${`percentile ${name}`} x1="0" x2=${width} y1=${y} y2=${y}></line>`;
}

/** Names of the lines at the right, apart from each other. */
function labels(values: [string, number][], scale: PlotScale, width: number): TemplateResult[] {
  let lowest = Number.POSITIVE_INFINITY;
  return values.map(([name, value]) => {
    const y = Math.min(scale.y(value) - 4, lowest - 13);
    lowest = y;
    return svg`<text class="percentile-name" x=${width - 2} y=${y} text-anchor="end">${name}</text>`;
  });
}
