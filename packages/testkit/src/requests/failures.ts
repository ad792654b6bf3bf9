import type { Database } from "@carillon/db";
import { expect } from "chai";
import { eventsSince, lastEventSeq } from "../event-log.ts";
import type { TestAccount } from "../factories/account.ts";
import { deliverNow, noticesTo } from "./delivery.ts";
import type { Scene } from "../scene.ts";
import { storedRow, type StoredRow } from "./scheduling.ts";

/** Returns whether the text contains that second: as `<time:…>` in Markdown, as ISO 8601 or in UNIX seconds. */
export function namesTime(text: string, seconds: number): boolean {
  if (text.includes(String(seconds))) return true;
  const times = [
    ...text.matchAll(/\d{4}-\d\d-\d\d[T ]\d\d:\d\d(:\d\d)?(\.\d+)?(Z|[+-]\d\d:?\d\d)?/g),
  ];
  return times.some(([time]) => Math.abs(Date.parse(time) / 1_000 - seconds) < 60);
}

/** Delivers, and expects a failure with exactly one notice to the sender (scheduled-messages.md §5). */
export async function failsWithNotice(
  scene: Scene,
  sender: TestAccount,
  id: number,
  lateBy = 1,
): Promise<StoredRow> {
  const { db, org } = scene;
  const client = scene.as(sender);
  const before = await noticesTo(client, org.notificationBot);
  const seq = await lastEventSeq(db, org.realm.id);
  await deliverNow(db, org.realm, [id], lateBy);
  const row = await storedRow(db, id);
  expect(row).to.include({ failed: true, delivered: false, deliveredMessageId: null });
  expect(row?.failureMessage).to.be.a("string").that.is.not.equal("");

  const notices = (await noticesTo(client, org.notificationBot)).slice(before.length);
  expect(notices.map((notice) => notice.sender_id)).to.deep.equal([org.notificationBot.id]);
  const [due] = await db.rows<{ at: number }>(
    "SELECT extract(epoch FROM deliver_at)::bigint AS at FROM scheduled_messages WHERE id = $1",
    [id],
  );
  const text = notices[0]?.content ?? "";
  expect(namesTime(text, due?.at ?? 0), `names the time: ${text}`).to.equal(true);
  expect(text, "names the reason").to.contain(row?.failureMessage);
  expect(notices[0]?.flags, "unread").to.deep.equal([]);

  expect(await recordedFailure(db, id), "what the operator finds").to.deep.equal({
    reason: row?.failureMessage,
    noticeId: notices[0]?.id,
  });

  const events = await eventsSince(db, org.realm.id, seq);
  const own = events.filter(({ type }) => type === "scheduled_messages");
  expect(own.map(({ op, audience }) => ({ op, audience }))).to.deep.equal([
    { op: "update", audience: [sender.id] },
  ]);
  const record = own[0]?.payload["scheduled_message"] as Record<string, unknown>;
  expect(record).to.include({ scheduled_message_id: id, failed: true });
  if (!row) throw new Error("the row is gone");
  return row;
}

/** Delivers, and expects a failure without a notice. */
export async function failsSilently(scene: Scene, id: number): Promise<void> {
  const { db, org } = scene;
  const seq = await lastEventSeq(db, org.realm.id);
  const [before] = await db.rows<{ count: number }>("SELECT count(*) AS count FROM messages");
  await deliverNow(db, org.realm, [id]);
  const row = await storedRow(db, id);
  expect(row).to.include({ failed: true, delivered: false });
  expect(await recordedFailure(db, id)).to.deep.equal({
    reason: row?.failureMessage,
    noticeId: null,
  });
  expect(await eventsSince(db, org.realm.id, seq), "no event").to.deep.equal([]);
  const [after] = await db.rows<{ count: number }>("SELECT count(*) AS count FROM messages");
  expect(after, "no notice").to.deep.equal(before);
}

/** What the last failure of a scheduled message stored for the operator. */
async function recordedFailure(
  db: Database,
  id: number,
): Promise<{ reason: string; noticeId: number | null } | undefined> {
  const rows = await db.rows<{ reason: string; noticeId: number | null }>(
    `SELECT reason, notice_id AS "noticeId" FROM delivery_failures WHERE scheduled_message_id = $1
     ORDER BY id DESC LIMIT 1`,
    [id],
  );
  return rows[0];
}
