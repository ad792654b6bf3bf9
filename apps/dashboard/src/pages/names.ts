import { html, type Html } from "./html.ts";

/**
 * Something by its name, with its number for who looks into the database. A name is anybody's: it stands apart, so that
 * its direction of writing does not run into what is around it.
 * @param name null for what is gone
 */
export function named(name: string | null, id: number): Html {
  return html`<bdi>${name ?? "(gone)"}</bdi> <span class="soft">#${id}</span>`;
}
