import { html, type Html } from "@carillon/kit";
import type { Criteria } from "../look-up/criteria.ts";
import { clock } from "../spans.ts";

/** Submitted values. */
export interface LookUpInput extends Partial<Criteria> {
  readonly id?: string;
}

/** Renders two forms: by id, and by other criteria. */
export function lookUpForm({ id, address, channel, at, withinMinutes = 5 }: LookUpInput): Html {
  return html`<form class="line" action="/look-up" method="get">
      <label
        >Id of a scheduled message, a reminder, a message, a series (s5), an occurrence
        (s5/2026-12-01), a background job or a queue job<input name="id" value="${id}" required
      /></label>
      <button>Look up</button>
    </form>
    <form class="line" action="/look-up" method="get">
      <label>E-mail address<input name="address" value="${address}" size="26" /></label>
      <label>Channel (name or number)<input name="channel" value="${channel}" size="18" /></label>
      <label
        >Due, failed or sent around (UTC)<input
          name="at"
          value="${at === undefined ? "" : clock(at)}"
          placeholder="2026-11-22 14:00"
          size="22"
      /></label>
      <label
        >Within minutes<input name="within" value="${withinMinutes}" inputmode="numeric" size="5"
      /></label>
      <button>Find messages</button>
    </form>`;
}
