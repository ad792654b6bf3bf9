import type { Database } from "@carillon/db";
import { bytesAtFirst, deliverDue, type DeliverDue, type Publication } from "@carillon/jobs";
import {
  channel,
  countQueries,
  failingDatabase,
  heavyTexts,
  organization,
  remind,
  runJob,
  scheduledMessage,
  send,
  toChannel,
  useScene,
  type TestAccount,
  type TestChannel,
  nth,
} from "@carillon/testkit";
import { LongRunSlots } from "../long-run-slots.ts";
import { expect } from "chai";

describe("due messages with long texts", () => {
  const scene = useScene();
  let sender: TestAccount;
  let room: TestChannel;

  beforeEach(async () => {
    sender = scene.org.member;
    room = await channel(scene.db, scene.org.realm, { subscribers: [sender] });
  });
  const due = async (contents: readonly string[], by = sender, to = room) => {
    const [content = "", ...others] = contents;
    const first = await scheduledMessage(scene.db, by, to, { content, topic: "t", dueIn: -300 });
    await scene.db.rows(
      `INSERT INTO scheduled_messages (realm_id, sender_id, kind, recipient_id, channel_id, topic, content,
         rendered_content, client_id, deliver_at, read_by_sender)
       SELECT realm_id, sender_id, kind, recipient_id, channel_id, topic, t.content, '', client_id,
         deliver_at + make_interval(secs => t.place), read_by_sender
       FROM scheduled_messages, unnest($2::text[]) WITH ORDINALITY AS t (content, place) WHERE id = $1`,
      [first.id, others],
    );
  };
  /** Runs the delivery job of an organization and all that it leaves. @returns rows and bytes of the batches */
  const deliver = async (realmId: number, services: { db?: Database } = {}) => {
    const longRuns = new LongRunSlots(0);
    const batches: number[] = [];
    let runs = 0;
    let next: DeliverDue | undefined = { realmId, second: 1 };
    while (next) {
      runs++;
      const run: Awaited<ReturnType<typeof runJob>> = await runJob(scene.db, deliverDue, next, {
        services: { longRuns, ...services },
      });
      for (const line of run.logLines)
        if (line.msg === "delivered scheduled messages") batches.push(Number(line["sent"]));
      next = (run.published as Publication<DeliverDue>[])[0]?.payload;
    }
    return { batches, runs };
  };
  const left = async () => {
    const [row] = await scene.db.rows<{ n: number }>(
      "SELECT count(*)::int AS n FROM scheduled_messages WHERE NOT delivered AND NOT failed",
    );
    return row?.n;
  };
  /** Returns the position, among all messages, of the message that a scheduled message became. */
  const messageOf = async (scheduledId: number) => {
    const [row] = await scene.db.rows<{ id: number }>(
      "SELECT id FROM messages WHERE scheduled_message_id = $1",
      [scheduledId],
    );
    return row?.id ?? 0;
  };

  /** Begins the topics to which the texts link. */
  const beginTopics = () =>
    scene.db.rows(
      `INSERT INTO messages (realm_id, sender_id, recipient_id, is_channel, topic, content, rendered_content,
         render_version, client_id)
       SELECT s.realm_id, s.sender_id, s.recipient_id, true, 'topic ' || n, '', '', 1, s.client_id
       FROM scheduled_messages s, generate_series(0, 1_999) AS n WHERE s.id = (SELECT max(id) FROM scheduled_messages)`,
    );

  for (const [kind, text] of Object.entries(heavyTexts))
    it(`are sent in small batches between which others are sent: ${kind}`, async () => {
      const { db, org } = scene;
      const contents = Array.from({ length: 14 }, (_, n) => text(n, room.name));
      const other = await organization(db);
      const hall = await channel(db, other.realm, { subscribers: [other.member] });
      const lone = await scheduledMessage(db, other.member, hall, { dueIn: -1 });
      await due(contents);
      await beginTopics();
      const [{ batches, runs }] = await Promise.all([
        deliver(org.realm.id),
        deliver(other.realm.id),
      ]);
      expect(await left()).to.equal(0);
      expect(batches.reduce((sum, n) => sum + n, 0)).to.equal(contents.length);
      expect(batches.length).to.be.at.least(2);
      expect(runs, "turns").to.be.at.least(2);
      const [last] = await db.rows<{ id: number }>(
        "SELECT max(id) AS id FROM messages WHERE realm_id = $1",
        [org.realm.id],
      );
      expect(await messageOf(lone.id)).to.be.below(last?.id ?? 0);
    });

  it("are sent in small batches between which others are sent: reminders of a list", async () => {
    const { db, org } = scene;
    const target = await send(
      scene.as(sender),
      toChannel(room.id, { content: heavyTexts.lists(0) }),
    );
    const first = await remind(scene.as(sender), target, { note: "- a\n".repeat(100) });
    await db.rows(
      `INSERT INTO scheduled_messages (realm_id, sender_id, kind, recipient_id, content, rendered_content, client_id,
         deliver_at, read_by_sender, reminder_target_message_id, reminder_note)
       SELECT realm_id, sender_id, kind, recipient_id, 'short', 'short', client_id, now() - interval '9 s',
         read_by_sender, reminder_target_message_id, reminder_note
       FROM scheduled_messages, generate_series(1, 19) WHERE id = $1`,
      [first],
    );
    await db.rows("UPDATE scheduled_messages SET deliver_at = now() WHERE id = $1", [first]);
    const { batches } = await deliver(org.realm.id);
    expect(await left()).to.equal(0);
    expect(batches.reduce((sum, n) => sum + n, 0)).to.equal(20);
    // The cost of a reminder is that of the current text of its message.
    expect(Math.max(...batches)).to.be.at.most(11);
  });

  for (const [what, texts] of Object.entries({
    "long texts": Array.from({ length: 4 }, (_, n) => heavyTexts.lists(n)),
    "short texts with formulas": Array.from(
      { length: 40 },
      (_, n) => `${n} ${"$$x$$ ".repeat(30)}`,
    ),
    "short texts of lists": Array.from({ length: 25 }, (_, n) => `${"- a\n".repeat(240)}${n}`),
  }))
    it(`are parsed before their rows are locked: ${what}`, async () => {
      await due(texts);
      const { statements } = await countQueries(scene.db, () => deliver(scene.org.realm.id));
      const peek = statements.findIndex(
        (text) => text.includes("f.before < $3") && !text.includes("FOR NO KEY"),
      );
      const given = statements.findIndex((text) => text.includes("s.id = ANY($2::bigint[]) AND"));
      expect(peek).to.be.at.least(0);
      expect(given).to.be.above(peek);
    });

  it("are sent as they were edited after they were read, and not sent if they were deleted", async () => {
    const { db, org } = scene;
    const client = scene.as(sender);
    await due(Array.from({ length: 6 }, (_, n) => heavyTexts.lists(n)));
    const rows = await db.rows<{ id: number }>(
      "SELECT id FROM scheduled_messages WHERE NOT delivered AND NOT failed ORDER BY deliver_at",
    );
    const ids = rows.map(({ id }) => id);
    const edited = new Map<number, string>();
    const change = async (id: number, n: number) => {
      const path = `/api/v1/scheduled_messages/${id}`;
      if (n === 0) return client.delete(path);
      const content = heavyTexts.tables(n);
      edited.set(id, content);
      return client.patch(path, { content });
    };
    let changed = false;
    const racing = failingDatabase(db, ({ name }) => {
      if (name !== "deliver-claim-given" || changed) return undefined;
      changed = true;
      // Two rows stay as they were.
      return Promise.all(ids.slice(0, 4).map(change)).then((answers) => {
        expect(answers.map(({ status }) => status)).to.deep.equal([200, 200, 200, 200]);
        return undefined;
      });
    });
    await deliver(org.realm.id, { db: racing });
    expect(changed).to.equal(true);
    expect(await left()).to.equal(0);
    const sent = await db.rows<{ id: number; content: string }>(
      `SELECT scheduled_message_id AS id, content FROM messages WHERE scheduled_message_id = ANY($1::bigint[])
       ORDER BY id`,
      [ids],
    );
    expect(sent.map(({ id }) => id)).to.deep.equal(ids.slice(1));
    for (const { id, content } of sent)
      expect(content).to.equal(edited.get(id) ?? heavyTexts.lists(ids.indexOf(id)));
  });

  it("begin small when a delivery job comes, so that jobs of other organizations get their turn", async () => {
    const size = 5_000;
    await due(Array.from({ length: 20 }, (_, n) => `${"- a\n".repeat(size / 4 - 3)}${n}`));
    const { batches } = await deliver(scene.org.realm.id);
    expect(nth(batches, 0) * size).to.be.at.most(bytesAtFirst + size);
  });

  it("are bounded by their names, even if they are short", async () => {
    const names = 100;
    const text = (n: number) =>
      `${n} ${Array.from({ length: names }, (_, i) => `@*g${names * n + i}* `).join("")}`;
    await due(Array.from({ length: 45 }, (_, n) => text(n)));
    const { batches } = await deliver(scene.org.realm.id);
    expect(await left()).to.equal(0);
    expect(Math.max(...batches) * names).to.be.at.most(2_000);
  });

  it("do not shrink batches of short messages", async () => {
    await due(Array.from({ length: 250 }, (_, n) => `a line of a chat, number ${n}`));
    const { batches } = await deliver(scene.org.realm.id);
    expect(batches).to.deep.equal([100, 150]);
  });
});
