import type { Database } from "@carillon/db";
import { clientOf, startGateway, type ApiCredentials } from "@carillon/testkit";
import { expect } from "chai";

import type { Crowd } from "./load.ts";

/** The intent of the scenario's only notice. */
export interface NoticeRow {
  readonly intentId: number;
  readonly version: number;
  readonly state: string;
  readonly attempts: number;
  readonly error: string | null;
  readonly queued: boolean;
}

/** Subscribes a guest to a channel as the owner, so that the notification bot has to notify the guest. */
export async function subscribeSomebody(url: string, people: Crowd): Promise<void> {
  const { owner, guest } = people.org;
  const credentials: ApiCredentials = { email: owner.deliveryEmail, apiKey: owner.apiKey };
  const answer = await clientOf(url, credentials).post("/api/v1/users/me/subscriptions", {
    subscriptions: [{ name: people.channels[0]?.name }],
    principals: [guest.id],
  });
  expect(answer.status, answer.text).to.equal(200);
}

/** Does the same through a gateway in this process, which adds no jobs. */
export async function subscribeHere(db: Database, people: Crowd): Promise<NoticeRow> {
  const gateway = await startGateway(db);
  try {
    await subscribeSomebody(gateway.url, people);
  } finally {
    await gateway.close();
  }
  const row = await noticeRow(db, people);
  expect(row).to.include({ state: "pending", version: 1, attempts: 0 });
  return row;
}

export async function noticeRow(db: Database, people: Crowd): Promise<NoticeRow> {
  const rows = await db.rows<NoticeRow>(
    `SELECT id AS "intentId", version, state, attempts, last_error AS error, enqueued_at IS NOT NULL AS queued
     FROM job_intent WHERE realm_id = $1`,
    [people.realmId],
  );
  const [row] = rows;
  if (!row || rows.length > 1) throw new Error(`${rows.length} notices are to be sent`);
  return row;
}

/** Returns how many notices the notification bot has sent. */
export async function noticesSent(db: Database, people: Crowd): Promise<number> {
  const [row] = await db.rows<{ n: number }>(
    `SELECT count(*) AS n FROM messages
     WHERE realm_id = $1 AND sender_id = $2 AND content LIKE '%subscribed you to%'`,
    [people.realmId, people.org.notificationBot.id],
  );
  return row?.n ?? 0;
}
