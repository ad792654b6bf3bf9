import type { Composition } from "@carillon/db";
import { channel, organization, rowsRead, scheduledMessage, user } from "@carillon/testkit";
import { expect } from "chai";
import { useDashboard } from "../test-support.ts";
import { composeFailed, composeSent, composeWaiting, type IdRange } from "./find-by.ts";
import { composeWithheld } from "./find-withheld.ts";
import type { Where } from "./where.ts";

describe("looking messages up among very many", () => {
  const dashboard = useDashboard();

  it("reads rows of an account, a channel or a time by an index", async () => {
    const { db } = dashboard();
    const org = await organization(db);
    const room = await channel(db, org.member);
    const { id } = await scheduledMessage(db, org.member, room);
    const copies = "FROM scheduled_messages, generate_series(1, 25000) n WHERE id = $1";
    await db.rows(
      `INSERT INTO messages (id, realm_id, sender_id, recipient_id, is_channel, topic, content, rendered_content, render_version,
         client_id, sent_at)
       SELECT n, realm_id, CASE WHEN n % 3 = 0 THEN sender_id ELSE 1000 + n % 50 END, recipient_id, true, '', 'x', 'x', 1, client_id, now() - (25000 - n) * interval '1 s' ${copies}`,
      [id],
    );
    await db.rows(
      `INSERT INTO delivery_failures (realm_id, scheduled_message_id, version, kind, sender_id, channel_id, due_at, failed_at,
         reason, process)
       SELECT realm_id, n, 1, 1, CASE WHEN n % 3 = 0 THEN sender_id ELSE 1000 + n % 50 END, channel_id, now(), now() - n * interval '1 s', 'x', 'h:1' ${copies}`,
      [id],
    );
    await db.rows(
      `INSERT INTO scheduled_messages (realm_id, sender_id, recipient_id, channel_id, content, rendered_content, client_id,
         deliver_at, read_by_sender)
       SELECT realm_id, sender_id, recipient_id, channel_id, 'x', 'x', client_id, now() + n * interval '1 s', false ${copies}`,
      [id],
    );
    const others = await Promise.all(Array.from({ length: 30 }, () => user(db, org.realm)));
    await db.rows(
      `INSERT INTO withheld_messages (scheduled_message_id, realm_id, sender_id, recipient_id, channel_id, topic, content,
         deliver_at, withheld_at, condition)
       SELECT n, realm_id, CASE WHEN n % 3 = 0 THEN sender_id ELSE ($2::int[])[1 + n % 30] END, recipient_id, channel_id, '', 'x', now(),
         now() - n * interval '1 s', '{"kind": "reply"}' FROM scheduled_messages, generate_series(1, 25000) n WHERE id = $1`,
      [id, others.map((one) => one.id)],
    );
    for (const table of [
      "messages",
      "scheduled_messages",
      "delivery_failures",
      "withheld_messages",
    ])
      await db.rows(`ANALYZE ${table}`);

    const now = Date.now() / 1_000;
    const here = [{ id: room.id, recipientId: room.recipientId, realmId: org.realm.id }];
    const both = [org.member, org.owner].map(({ id: one }) => ({ id: one, realmId: org.realm.id }));
    const wheres: Where[] = [
      { accounts: both },
      { channels: here },
      { accounts: both.slice(0, 1), channels: here, span: [now - 600, now + 600] },
      { span: [now - 600, now + 600] },
    ];
    const read = async ({ text, values }: Composition, table: string) =>
      (await rowsRead(db, text, values, table)).read;
    for (const where of wheres) {
      const about = JSON.stringify(where);
      const range: IdRange = where.span ? [24_000, 26_000] : [0, Number.MAX_SAFE_INTEGER];
      const ranges = (where.accounts ?? where.channels ?? [0]).map(() => range);
      expect(await read(composeWaiting(where), "scheduled_messages"), about).to.be.at.most(9_000);
      expect(await read(composeFailed(where), "delivery_failures"), about).to.be.at.most(9_000);
      expect(await read(composeWithheld(where), "withheld_messages"), about).to.be.at.most(9_000);
      expect(await read(composeSent(where, ranges), "messages"), about).to.be.at.most(9_000);
    }
  });
});
