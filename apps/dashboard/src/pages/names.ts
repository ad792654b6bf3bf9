import { html, type Html } from "@carillon/kit";
import { intentJobs } from "@carillon/jobs";

/**
 * Formats something by name and id. The name is isolated with `<bdi>`, because its writing direction may differ.
 * @param name null when the row is gone
 */
export function named(name: string | null, id: number): Html {
  return html`<bdi>${name ?? "(gone)"}</bdi> <span class="soft">#${id}</span>`;
}

/** Formats a background job by its title and name; a job of another release has only a name. */
export function work(job: string): Html {
  const title = intentJobs.get(job)?.title;
  return title === undefined ? html`<code>${job}</code>` : html`${title} <code>${job}</code>`;
}

/** Formats a background job like {@link work}, as plain text for an option of a form. */
export function workText(job: string): string {
  const title = intentJobs.get(job)?.title;
  return title === undefined ? job : `${title}, ${job}`;
}
