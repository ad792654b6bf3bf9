import { register, updateRealm } from "@carillon/contract";
import { expect } from "chai";
import { eventsOf, type LoggedEvent } from "../event-log.ts";
import type { TestAccount } from "../factories/account.ts";
import type { Params } from "../gateway-client.ts";
import type { Scene } from "../scene.ts";
import { refused } from "./refusal.ts";

/** Calls `PATCH /realm` for the caller's organization. */
export function realmChanging({ db, as }: Pick<Scene, "db" | "as">) {
  const patch = (by: TestAccount, params: Params) => as(by).call(updateRealm, { params });
  /** A successful change: the response's own fields, and the events. */
  const change = async (by: TestAccount, params: Params) => {
    const { result, events } = await eventsOf(db, by.realmId, () => patch(by, params));
    expect(result.body.result, result.body.msg).to.equal("success");
    const answer: Record<string, unknown> = { ...result.body };
    delete answer["result"];
    delete answer["msg"];
    return { answer, events };
  };
  const refuses = (by: TestAccount, params: Params, code?: string, fields?: Params) =>
    refused(db, () => patch(by, params), code, fields);
  /** The organization's fields of a snapshot. */
  const shown = async (by: TestAccount) => {
    const params = { fetch_event_types: ["realm"] };
    const snapshot: Record<string, unknown> = { ...(await as(by).succeed(register, { params })) };
    delete snapshot["queue_id"];
    delete snapshot["last_event_id"];
    return snapshot;
  };
  return { patch, change, refuses, shown };
}

/** A snapshot of an organization, kept up to date by events only. */
export function applyRealmEvents(snapshot: Params, events: readonly LoggedEvent[]) {
  const now = { ...snapshot };
  for (const { type, op, payload } of events) {
    if (type !== "realm") continue;
    const { property, value, data } = payload;
    const changed = op === "update" ? [[property, value]] : Object.entries(data as Params);
    for (const [name, to] of changed) now[`realm_${String(name)}`] = to;
  }
  return now;
}

/** The events of changed properties and permissions. */
export function realmUpdate(data: object) {
  return {
    type: "realm",
    op: "update_dict",
    payload: { property: "default", data },
    audience: null,
  };
}
