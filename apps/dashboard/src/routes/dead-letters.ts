import type { Context } from "koa";
import type { Database } from "@carillon/db";
import type { Logger } from "@carillon/kit";
import { answer, done } from "./answer.ts";
import { visitorOf } from "../http/authenticate.ts";
import { mayAct, operatorsForm } from "./operators-form.ts";
import { readCursor } from "../http/parameters.ts";
import { deadLettersPage, href } from "../pages/dead-letters.ts";
import { deadPreviewPage } from "../pages/dead-preview.ts";
import { act } from "../dead-letters/act.ts";
import { preview } from "../dead-letters/choose.ts";
import { countDead, listDead } from "../dead-letters/list.ts";
import { readableReason } from "../dead-letters/reason.ts";
import { readAction, readChoice, readFilter, type Action } from "../dead-letters/request.ts";

interface Services {
  readonly db: Database;
  readonly log: Logger;
}

/** `GET /dead-letters`. */
export async function showDeadLetters(ctx: Context, { db }: Services): Promise<void> {
  const query = new URLSearchParams(ctx.querystring);
  const filter = readFilter(query);
  const [page, jobs] = await Promise.all([listDead(db, filter, readCursor(query)), countDead(db)]);
  const rows = page.rows.map((row) => ({ ...row, reason: readableReason(row.lastError) }));
  const was = doneIn(query);
  const shown = { ...page, rows, filter, jobs, mayAct: mayAct(ctx) };
  answer(ctx, shown, () => deadLettersPage(was ? { ...shown, done: was } : shown));
}

/** Reads the result that the redirect after an action carries. */
function doneIn(query: URLSearchParams): { action: Action; count: number } | undefined {
  for (const [name, action] of [
    ["replayed", "replay"],
    ["discarded", "discard"],
  ] as const) {
    const count = /^\d{1,9}$/.exec(query.get(name) ?? "")?.[0];
    if (count !== undefined) return { action, count: Number(count) };
  }
  return undefined;
}

/** `POST /dead-letters/preview`: a form, because a selection may exceed a URL. Changes nothing. */
export async function previewDeadLetters(ctx: Context, { db }: Services): Promise<void> {
  const form = await operatorsForm(ctx, "replay or discard dead letters");
  if (form === undefined) return;
  const action = readAction(form);
  const choice = readChoice(form);
  const found = await preview(db, choice);
  answer(ctx, { action, ...found }, () => deadPreviewPage(action, choice, readFilter(form), found));
}

/** `POST /dead-letters/replay` and `POST /dead-letters/discard`. */
export async function actOnDeadLetters(
  ctx: Context,
  services: Services,
  action: Action,
): Promise<void> {
  const form = await operatorsForm(ctx, "replay or discard dead letters");
  if (form === undefined) return;
  const choice = readChoice(form);
  const filter = readFilter(form);
  const count = await act(services, action, choice, visitorOf(ctx).user);
  const result = action === "replay" ? { replayed: count } : { discarded: count };
  done(ctx, result, href(filter, result));
}
