import Router from "@koa/router";
import type { Database } from "@carillon/db";
import { whenNeeded, type Logger } from "@carillon/kit";
import type { Queues } from "@carillon/queue";
import type { Middleware } from "koa";
import { actions } from "../dead-letters/request.ts";
import { actOnDeadLetters, previewDeadLetters, showDeadLetters } from "./dead-letters.ts";
import { listDeletions } from "../deletions/list.ts";
import { acknowledgeFailures, readAcknowledgement } from "../failed/acknowledge.ts";
import { countByReason, countOverTime, type Span } from "../failed/counts.ts";
import { readFailedQuery, resolveFailedQuery } from "../failed/filter.ts";
import { listFailed } from "../failed/list.ts";
import { readHistory } from "../history/read.ts";
import { answer, done, refuse } from "./answer.ts";
import { visitorOf } from "../http/authenticate.ts";
import { mayAct, operatorsForm } from "./operators-form.ts";
import { BadParameter, readCursor } from "../http/parameters.ts";
import { readCriteria } from "../look-up/criteria.ts";
import { isFound, lookUp, lookUpBy, nothingFound } from "../look-up/look-up.ts";
import { deletionsPage } from "../pages/deletions.ts";
import { storagePage } from "../pages/storage.ts";
import { failedPage, sentAgainIn } from "../pages/failed.ts";
import { foundManyPage } from "../pages/found-many.ts";
import { historyPage } from "../pages/history.ts";
import { scriptPath, stylePath } from "../pages/layout.ts";
import { lookUpPage } from "../pages/look-up.ts";
import { overviewPage } from "../pages/overview.ts";
import { script } from "../pages/script.ts";
import { style } from "../pages/style.ts";
import type { Readings } from "../readings/readings.ts";
import { verdict, worstOf } from "../readings/verdict.ts";

export interface RouteServices {
  readonly db: Database;
  readonly queues: Queues;
  readonly readings: Readings;
  readonly log: Logger;
  /** Bytes that the uploads of an organization may take; undefined if there is no quota. */
  readonly quota: number | undefined;
}

/** Serves our own pages, behind the credentials. */
export function pageRoutes(services: RouteServices): Middleware {
  const { db, readings } = services;
  const router = new Router({ sensitive: true });

  router.get("/", async (ctx) => {
    const [snapshot, late = []] = await Promise.all([readings.snapshot(), readings.late()]);
    const { counters, queues, ...rest } = snapshot;
    const findings = verdict(snapshot);
    const data = {
      verdict: { well: findings.length === 0, severity: worstOf(findings), findings },
      ...rest,
      counters: entries(counters),
      queues: entries(queues),
      late,
    };
    answer(ctx, data, () => overviewPage(snapshot, late, mayAct(ctx)));
  });

  router.get("/failed", async (ctx) => {
    const query = new URLSearchParams(ctx.querystring);
    const asked = readFailedQuery(query);
    const filter = await resolveFailedQuery(db, asked);
    const span: Span = query.get("span") === "month" ? "month" : "day";
    const [page, steps, reasons] = await Promise.all([
      listFailed(db, filter, readCursor(query)),
      countOverTime(db, filter, span),
      countByReason(db, filter, span),
    ]);
    const data = { ...page, filter: asked, span, steps, reasons } as const;
    const sentAgain = sentAgainIn(query);
    answer(ctx, data, (shown) =>
      failedPage({ ...shown, mayAct: mayAct(ctx), ...(sentAgain ? { sentAgain } : {}) }),
    );
  });

  const sending = whenNeeded(() => import("./send-again.ts"));
  router.post("/failed/preview", async (ctx) =>
    (await sending()).previewSendingAgain(ctx, services),
  );
  router.post("/failed/send", async (ctx) => (await sending()).sendAgain(ctx, services));

  router.post("/failed/acknowledge", async (ctx) => {
    const form = await operatorsForm(ctx, "acknowledge failures");
    if (form === undefined) return;
    const { user } = visitorOf(ctx);
    const acknowledged = await acknowledgeFailures(db, readAcknowledgement(form), user);
    readings.forgetFailures();
    services.log.info({ operator: user, acknowledged }, "failures acknowledged");
    done(ctx, { acknowledged }, "/");
  });

  router.get("/history", async (ctx) => {
    const [day, month] = await Promise.all([readHistory(db, "day"), readHistory(db, "month")]);
    answer(ctx, { day, month }, historyPage);
  });

  router.get("/look-up", async (ctx) => {
    const query = new URLSearchParams(ctx.querystring);
    const id = query.get("id")?.trim() ?? "";
    const criteria = id === "" ? readCriteria(query) : undefined;
    if (criteria) {
      answer(ctx, await lookUpBy(services, criteria), (many) => foundManyPage(criteria, many));
      return;
    }
    const found = id === "" ? undefined : await lookUp(services, id);
    if (id !== "" && !isFound(found)) ctx.status = 404;
    answer(ctx, found ?? nothingFound, () => lookUpPage({ id }, found));
  });

  router.get("/deletions", async (ctx) => {
    const deletions = await listDeletions(db);
    answer(ctx, { deletions }, () => deletionsPage(deletions));
  });

  router.get("/storage", async (ctx) => {
    const [{ storage, counters }, organizations] = await Promise.all([
      readings.snapshot(),
      readings.organizations(),
    ]);
    const total = (name: string) => (counters ? (counters.get(name) ?? 0) : null);
    const view = {
      figures: storage,
      organizations,
      quota: services.quota ?? null,
      unclaimedFiles: total("unclaimed_files"),
      deletedObjects: total("deleted_objects"),
    };
    answer(ctx, view, () => storagePage(view));
  });

  const series = whenNeeded(() => import("./series.ts"));
  router.get("/series", async (ctx) => (await series()).showSeries(ctx, services));
  router.post("/series/pause", async (ctx) => (await series()).pauseSeries(ctx, services));

  const webhooks = whenNeeded(() => import("./webhooks.ts"));
  router.get("/webhooks", async (ctx) => (await webhooks()).showWebhooks(ctx, services));
  for (const action of ["retry", "discard"] as const)
    router.post(`/webhooks/${action}`, async (ctx) =>
      (await webhooks()).actOnCalls(ctx, services, action),
    );

  const audit = whenNeeded(() => import("./audit.ts"));
  router.get("/audit", async (ctx) => (await audit()).showAudit(ctx, db));

  router.get("/dead-letters", (ctx) => showDeadLetters(ctx, services));
  router.post("/dead-letters/preview", (ctx) => previewDeadLetters(ctx, services));
  for (const action of actions)
    router.post(`/dead-letters/${action}`, (ctx) => actOnDeadLetters(ctx, services, action));

  router.get(stylePath, (ctx) => {
    ctx.type = "css";
    ctx.body = style;
  });

  router.get(scriptPath, (ctx) => {
    ctx.type = "js";
    ctx.body = script;
  });

  const routes = router.routes() as Middleware;
  const methods = router.allowedMethods() as Middleware;
  return async (ctx, next) => {
    try {
      await routes(ctx, () => methods(ctx, next));
    } catch (error) {
      if (!(error instanceof BadParameter)) throw error;
      refuse(ctx, 400, error.message);
    }
  };
}

function entries<Value>(
  map: ReadonlyMap<string, Value> | undefined,
): Record<string, Value> | undefined {
  return map && Object.fromEntries(map);
}
