import { intentJobs } from "@carillon/jobs";
import { html, type Html } from "./html.ts";

/**
 * Something by its name, with its number for who looks into the database. A name is anybody's: it stands apart, so that
 * its direction of writing does not run into what is around it.
 * @param name null for what is gone
 */
export function named(name: string | null, id: number): Html {
  return html`<bdi>${name ?? "(gone)"}</bdi> <span class="soft">#${id}</span>`;
}

/** Background work by what people call it and by the name of its job; a job of another release has only its name. */
export function work(job: string): Html {
  const title = intentJobs.get(job)?.title;
  return title === undefined ? html`<code>${job}</code>` : html`${title} <code>${job}</code>`;
}

/** The same as text without markup, for an option of a form. */
export function workText(job: string): string {
  const title = intentJobs.get(job)?.title;
  return title === undefined ? job : `${title}, ${job}`;
}
