import { html, type HtmlValue, type Html } from "@carillon/kit";
import type { TimelineStep } from "../look-up/timeline.ts";
import { moment } from "../spans.ts";

/** Renders a timeline as a list, first step first. */
export function timelineList(steps: readonly TimelineStep[], now: number): Html {
  return html`<ol class="timeline">
    ${steps.map(({ at, what, facts }) => html`<li><strong>${what}</strong> ${moment(at, now)}${factsOf(facts)}</li>`)}
  </ol>`;
}

function factsOf(facts: TimelineStep["facts"]): HtmlValue {
  const known = Object.entries(facts);
  if (known.length === 0) return "";
  return html`<br /><span class="soft"
      >${known.map(([name, value], i) => [i === 0 ? "" : ", ", `${name} `, valueOf(name, value)])}</span
    >`;
}

/** Links messages to their look-up. */
function valueOf(name: string, value: string | number): HtmlValue {
  return name === "message"
    ? html`<a href="/look-up?id=${value}">${value}</a>`
    : html`<bdi>${value}</bdi>`;
}
