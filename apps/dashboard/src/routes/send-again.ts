import type { Database } from "@carillon/db";
import { ApiError } from "@carillon/contract";
import { previewReschedule, rescheduleFailed, type FailedMessage } from "@carillon/domain";
import type { Logger } from "@carillon/kit";
import type { Context } from "koa";
import { databaseMicros } from "../dead-letters/choose.ts";
import { answer, done } from "./answer.ts";
import { visitorOf } from "../http/authenticate.ts";
import { operatorsForm } from "./operators-form.ts";
import { BadParameter, givenWhole } from "../http/parameters.ts";
import { failedHref } from "../pages/failed.ts";
import { sendAgainPage } from "../pages/send-again.ts";
import { chooseByFilter, readChosen, readNewTime } from "../failed/choose.ts";
import { readFailedQuery, resolveFailedQuery, type FailedQuery } from "../failed/filter.ts";

interface Services {
  readonly db: Database;
  readonly log: Logger;
}

const what = "send failed messages again";

interface Choice {
  readonly messages: readonly FailedMessage[];
  readonly query: FailedQuery;
  /** Failures up to this time, for a filter; undefined for a selection. */
  readonly before: number | undefined;
}

/** `POST /failed/preview`: previews resending the selected messages. Changes nothing. */
export async function previewSendingAgain(ctx: Context, { db }: Services): Promise<void> {
  const form = await operatorsForm(ctx, what);
  if (form === undefined) return;
  const deliverAt = readNewTime(form);
  const choice = await chosenIn(form, db);
  const result = await previewReschedule(db, choice.messages);
  answer(ctx, { ...result, before: choice.before }, () =>
    sendAgainPage({ ...choice, deliverAt, result }),
  );
}

/** `POST /failed/send`. */
export async function sendAgain(ctx: Context, { db, log }: Services): Promise<void> {
  const form = await operatorsForm(ctx, what);
  if (form === undefined) return;
  const deliverAt = readNewTime(form);
  const { messages, query } = await chosenIn(form, db);
  const { user: operator } = visitorOf(ctx);
  const result = await rescheduleFailed(db, messages, {
    operator,
    ...(deliverAt === undefined ? {} : { deliverAt }),
  }).catch((error: unknown) => {
    throw error instanceof ApiError ? new BadParameter(error.message) : error;
  });
  const { rescheduled, refused, unchanged } = result;
  log.info(
    { operator, rescheduled, refused: refused.length, unchanged },
    "failed messages are sent again",
  );
  const counts = { sent: rescheduled, refused: refused.length, unchanged };
  done(ctx, result, failedHref(query, "day", counts));
}

/**
 * Reads from a form which failed messages to send again: chosen ones, or all that the filter finds.
 * @throws BadParameter
 */
async function chosenIn(form: URLSearchParams, db: Database): Promise<Choice> {
  const query = readFailedQuery(form);
  const all = form.get("all");
  if (all !== null && all !== "true") throw new BadParameter("all must be true where it is given");
  if (all === "true") {
    // In microseconds of the UNIX epoch: later failures were not in the preview.
    const before = givenWhole(form, "before") ?? (await databaseMicros(db));
    const filter = await resolveFailedQuery(db, query);
    return { messages: await chooseByFilter(db, filter, before), query, before };
  }
  const messages = readChosen(form);
  if (messages.length === 0)
    throw new BadParameter(
      "choose at least one: give chosen, once or more, or all=true, with the filter of the list",
    );
  return { messages, query, before: undefined };
}
