import type { Context } from "koa";
import { refuse } from "./answer.ts";
import { visitorOf } from "../http/authenticate.ts";
import { readForm } from "../http/form.ts";
import { isSameOrigin } from "../http/same-origin.ts";

/**
 * Reads the form of a request that changes something.
 * @param what the action, for the refusal: "replay or discard dead letters"
 * @returns undefined if the request was refused with 403 or 413
 */
export async function operatorsForm(
  ctx: Context,
  what: string,
): Promise<URLSearchParams | undefined> {
  if (visitorOf(ctx).role !== "operator") {
    refuse(ctx, 403, `Only the operator may ${what}.`);
    return undefined;
  }
  if (!isSameOrigin(ctx)) {
    refuse(ctx, 403, "The request came from a page of another site; nothing was changed.");
    return undefined;
  }
  const form = await readForm(ctx.req);
  if (form === undefined) refuse(ctx, 413, "Too many chosen: choose fewer, or all.");
  return form;
}

/** Whether the visitor may act. */
export function mayAct(ctx: Context): boolean {
  return visitorOf(ctx).role === "operator";
}
