import type { Context } from "koa";
import { layout, type Page } from "../pages/layout.ts";
import { visitorOf } from "../http/authenticate.ts";

/** Answers with JSON if requested, else with a page. */
export function answer<Data extends object>(
  ctx: Context,
  data: Data,
  page: (data: Data) => Page,
): void {
  ctx.vary("Accept");
  if (ctx.accepts("html", "json") === "json") {
    ctx.body = data;
    return;
  }
  ctx.type = "html";
  ctx.body = layout(page(data), visitorOf(ctx), ctx.path, asOf(ctx));
}

/** Returns the time of the page, in UNIX seconds by the database's clock; undefined if unknown. */
function asOf(ctx: Context): number | undefined {
  return ctx.state["asOf"] as number | undefined;
}

/** Answers an action: with its result as JSON if requested, else with a redirect. */
export function done(ctx: Context, result: object, location: string): void {
  if (ctx.accepts("html", "json") === "json") {
    ctx.body = result;
    return;
  }
  ctx.status = 303;
  ctx.set("Location", location);
}

/** A refusal, as a page or as JSON: `{"error": why}`. */
export function refuse(ctx: Context, status: number, why: string): void {
  ctx.status = status;
  answer(ctx, { error: why }, () => ({ title: titles[status] ?? "Not possible", body: why }));
}

const titles: Readonly<Record<number, string>> = {
  400: "Not understood",
  403: "Not allowed",
  404: "Not found",
  405: "Not possible here",
  413: "Too large",
  500: "Something went wrong",
  503: "The database does not answer",
};
