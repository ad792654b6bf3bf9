import type { Organization } from "../store/organization.ts";

/** What the functions that change rendered HTML know. */
export interface HtmlContext {
  readonly organization: Organization;
  /** Aborted when the HTML is no longer shown. */
  readonly signal: AbortSignal;
}
