import type { Organization } from "../store/organization.ts";

/** Context of the functions that change rendered HTML. */
export interface HtmlContext {
  readonly organization: Organization;
  /** Aborted when the HTML is no longer shown. */
  readonly signal: AbortSignal;
}
