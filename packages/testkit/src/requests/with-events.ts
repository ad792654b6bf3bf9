import type { Sql } from "@carillon/db";
import { expect } from "chai";

import { announced, eventsOf } from "../event-log.ts";
import type { Refusable } from "./answers.ts";

/**
 * Makes a request that must succeed.
 * @returns the response's own fields, and the resulting events with their receivers
 */
export async function withEvents(
  sql: Sql,
  { realmId }: { readonly realmId: number },
  ask: () => Promise<Refusable>,
): Promise<{ answer: Readonly<Record<string, unknown>>; received: ReturnType<typeof announced> }> {
  const { result, events } = await eventsOf(sql, realmId, ask);
  const { status, body } = result;
  expect(status, JSON.stringify(body)).to.equal(200);
  const { result: outcome, msg, ...answer } = body;
  expect([outcome, msg]).to.deep.equal(["success", ""]);
  return { answer, received: announced(events) };
}
