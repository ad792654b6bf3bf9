import type { Database } from "@carillon/db";
import {
  discardDeadCalls,
  listDeadCalls,
  listEndpoints,
  listSubscriptionViews,
  retryDeadCalls,
} from "@carillon/domain";
import type { Logger } from "@carillon/kit";
import type { Context } from "koa";

import { visitorOf } from "../http/authenticate.ts";
import { BadParameter, given, givenId, whole } from "../http/parameters.ts";
import { webhooksPage, type WebhooksDone } from "../pages/webhooks.ts";
import { answer, done } from "./answer.ts";
import { mayAct, operatorsForm } from "./operators-form.ts";

interface Services {
  readonly db: Database;
  readonly log: Logger;
}

/** `GET /webhooks`. */
export async function showWebhooks(ctx: Context, { db }: Services): Promise<void> {
  const fields = new URLSearchParams(ctx.querystring);
  const after = givenId(fields, "after");
  const afterSubscription = givenId(fields, "after_subscription");
  const text = given(fields, "before");
  const [endpoints, subscriptions, dead] = await Promise.all([
    listEndpoints(db, after === undefined ? {} : { after }),
    listSubscriptionViews(db, afterSubscription === undefined ? {} : { after: afterSubscription }),
    listDeadCalls(db, text === undefined ? {} : { before: whole("before", text) }),
  ]);
  answer(ctx, { endpoints, subscriptions, dead }, (shown) =>
    webhooksPage({ ...shown, mayAct: mayAct(ctx), done: doneIn(fields) }),
  );
}

function doneIn(fields: URLSearchParams): WebhooksDone | undefined {
  for (const action of ["retried", "discarded"] as const) {
    const count = /^\d{1,9}$/.exec(fields.get(action) ?? "")?.[0];
    if (count !== undefined) return { action, count: Number(count) };
  }
  return undefined;
}

/**
 * `POST /webhooks/retry` and `POST /webhooks/discard`: repeats or discards calls that were given up, those with the given
 * ids (`id`, repeatable), or all of a bot (`bot`). A second request finds none of them.
 */
export async function actOnCalls(
  ctx: Context,
  { db, log }: Services,
  action: "retry" | "discard",
): Promise<void> {
  const form = await operatorsForm(ctx, "repeat or discard calls");
  if (form === undefined) return;
  const ids = form.getAll("id").map((id) => whole("id", id));
  const botId = givenId(form, "bot");
  if ((ids.length === 0) === (botId === undefined))
    throw new BadParameter("give either id (repeatable) or bot");
  const choice = botId === undefined ? { ids } : { botId };
  const { user: operator } = visitorOf(ctx);
  const count =
    action === "retry"
      ? await retryDeadCalls(db, choice, operator)
      : await discardDeadCalls(db, choice, operator);
  const result = action === "retry" ? { retried: count } : { discarded: count };
  log.info({ operator, ...choice, ...result }, "calls of webhooks changed");
  const [[name, value] = ["", 0]] = Object.entries(result);
  done(ctx, result, `/webhooks?${name}=${value}`);
}
