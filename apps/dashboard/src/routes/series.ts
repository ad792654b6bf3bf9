import type { Database } from "@carillon/db";
import { pauseSeriesForOperator } from "@carillon/domain";
import type { Logger } from "@carillon/kit";
import type { Context } from "koa";

import { visitorOf } from "../http/authenticate.ts";
import { BadParameter, givenId, givenWhole } from "../http/parameters.ts";
import { seriesHref, seriesPage } from "../pages/series.ts";
import { readSeriesQuery, resolveSeriesQuery } from "../series/filter.ts";
import { listSeriesViews } from "../series/list.ts";
import { answer, done, refuse } from "./answer.ts";
import { mayAct, operatorsForm } from "./operators-form.ts";

interface Services {
  readonly db: Database;
  readonly log: Logger;
}

/** `GET /series`. */
export async function showSeries(ctx: Context, { db }: Services): Promise<void> {
  const fields = new URLSearchParams(ctx.querystring);
  const query = readSeriesQuery(fields);
  const filter = await resolveSeriesQuery(db, query);
  const page = await listSeriesViews(db, filter, givenWhole(fields, "before"));
  answer(ctx, { ...page, filter: query }, (shown) => seriesPage({ ...shown, mayAct: mayAct(ctx) }));
}

/** `POST /series/pause`: pauses one series. Pausing it twice pauses it once. */
export async function pauseSeries(ctx: Context, { db, log }: Services): Promise<void> {
  const form = await operatorsForm(ctx, "pause series");
  if (form === undefined) return;
  const id = givenId(form, "id");
  if (id === undefined) throw new BadParameter("id must be that of a series");
  const query = readSeriesQuery(form);
  const { user: operator } = visitorOf(ctx);
  const result = await pauseSeriesForOperator(db, id, operator);
  if (result === "unknown") {
    refuse(ctx, 404, `There is no series ${id}.`);
    return;
  }
  log.info({ operator, seriesId: id, result }, "series paused");
  done(ctx, { result }, seriesHref(query));
}
