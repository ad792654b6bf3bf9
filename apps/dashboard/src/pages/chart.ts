import { html, type Html } from "@carillon/kit";
import { clock } from "../spans.ts";

/** One series of a chart. */
export interface Series {
  readonly name: string;
  /** Bars of several series are stacked. */
  readonly as: "bar" | "line";
  /** CSS class of its colour. */
  readonly ink: "calm" | "loud" | "first" | "second" | "third";
  /** One for each step; null without a measurement. */
  readonly values: ReadonlyArray<number | null>;
}

export interface Chart {
  readonly title: string;
  /** When each step begins, UNIX seconds, the oldest first. */
  readonly at: readonly number[];
  readonly series: readonly Series[];
  /** Formats a value. */
  readonly format: (value: number) => string;
}

const width = 720;
const height = 120;
/** Padding for the width of lines. */
const edge = 2;

/** Renders a chart as an image with a description, and as a table for screen readers. */
export function chart(shown: Chart): Html {
  const { title, at, series, format } = shown;
  const highest = Math.max(0, ...at.map((_, i) => heightAt(series, i)));
  const scale = highest > 0 ? (height - 2 * edge) / highest : 0;
  const y = (value: number) => round(height - edge - value * scale);
  const step = width / Math.max(1, at.length);
  const stacks = at.map(() => 0);
  const drawn = series.map((one) =>
    one.as === "bar" ? bars(one, { at, step, y, stacks, format }) : line(one, { step, y }),
  );
  const legend = series.map(
    ({ name, ink }) => html`<li><span class="ink ${ink}"></span>${name}</li>`,
  );
  return html`<figure class="chart">
    <figcaption>${title}</figcaption>
    <ul class="legend" aria-hidden="true">
      ${legend}
    </ul>
    <p class="scale" aria-hidden="true">${format(highest)}</p>
    <svg
      viewBox="0 0 ${width} ${height}"
      preserveAspectRatio="none"
      role="img"
      aria-label="${described(shown, highest)}"
    >
      <line x1="0" x2="${width}" y1="${y(highest)}" y2="${y(highest)}" class="grid" />
      <line x1="0" x2="${width}" y1="${y(0)}" y2="${y(0)}" class="axis" />
      ${drawn}
    </svg>
    <p class="scale" aria-hidden="true">
      <span>${at[0] === undefined ? "" : clock(at[0])}</span><span>now</span>
    </p>
    ${asTable(shown)}
  </figure>`;
}

/** Returns the height of stacked bars or the highest line. */
function heightAt(series: readonly Series[], i: number): number {
  const of = (as: Series["as"]) =>
    series.filter((one) => one.as === as).map(({ values }) => values[i] ?? 0);
  return Math.max(
    of("bar").reduce((sum, value) => sum + value, 0),
    ...of("line"),
  );
}

function bars(
  { name, ink, values }: Series,
  to: {
    readonly at: readonly number[];
    readonly step: number;
    readonly y: (value: number) => number;
    readonly stacks: number[];
    readonly format: (value: number) => string;
  },
): Html[] {
  return values.flatMap((value, i) => {
    if (!value) return [];
    const from = to.stacks[i] ?? 0;
    to.stacks[i] = from + value;
    const above = to.y(from + value);
    const tall = Math.max(1, round(to.y(from) - above));
    return [
      html`<rect
        x="${round(i * to.step)}"
        y="${above}"
        width="${round(Math.max(1, to.step - 1))}"
        height="${tall}"
        class="${ink}"
        ><title>${clock(to.at[i] ?? 0)}: ${name} ${to.format(value)}</title></rect
      >`,
    ];
  });
}

/** Draws each value as wide as its step, so that a single one is visible; gaps interrupt the line. */
function line(
  { ink, values }: Series,
  { step, y }: { readonly step: number; readonly y: (value: number) => number },
): Html {
  let path = "";
  for (const [i, value] of values.entries()) {
    if (value === null) continue;
    const from = `${round(i * step)} ${y(value)}`;
    path += `${(values[i - 1] ?? null) === null ? "M" : "L"}${from}H${round((i + 1) * step)}`;
  }
  return html`<path d="${path}" class="line ${ink}" />`;
}

function described({ title, series, format }: Chart, highest: number): string {
  const sums = series.map(({ name, as, values }) => {
    const known = values.filter((value) => value !== null);
    if (known.length === 0) return `${name}: nothing`;
    return as === "bar"
      ? `${name}: ${format(known.reduce((sum, value) => sum + value, 0))} in all`
      : `${name}: ${format(Math.max(...known))} at most`;
  });
  return `${title}. ${sums.join("; ")}. The highest is ${format(highest)}. The figures are in the table below.`;
}

/** Omits empty steps. */
function asTable({ title, at, series, format }: Chart): Html {
  const rows = at.flatMap((from, i) => {
    const values = series.map((one) => one.values[i] ?? null);
    if (values.every((value) => !value)) return [];
    return [
      html`<tr>
        <th scope="row">${clock(from)}</th>
        ${values.map((value) => html`<td class="n">${value === null ? "–" : format(value)}</td>`)}
      </tr>`,
    ];
  });
  return html`<details id="table-${title.replaceAll(/\W+/g, "-")}">
    <summary>As a table</summary>
    <div class="wide" tabindex="0" role="region" aria-label="${title}">
      <table>
        <thead>
          <tr>
            <th scope="col">From</th>
            ${series.map(({ name }) => html`<th scope="col" class="n">${name}</th>`)}
          </tr>
        </thead>
        <tbody>
          ${rows}
        </tbody>
      </table>
    </div>
  </details>`;
}

const round = (value: number) => Math.round(value * 100) / 100;
