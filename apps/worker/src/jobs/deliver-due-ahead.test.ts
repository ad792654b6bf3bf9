import { deliverAll } from "@carillon/domain";
import { silentLogger } from "@carillon/kit";
import {
  anonymousGroup,
  channel,
  holdUp,
  inChannel,
  messagesOf,
  scheduledMessage,
  storedRow,
  testSite,
  useScene,
  waitFor,
  type HeldUp,
  type TestAccount,
  type TestChannel,
} from "@carillon/testkit";
import { expect } from "chai";

describe("a delivery batch that is prepared while another is written", () => {
  const scene = useScene();
  let sender: TestAccount;
  let room: TestChannel;

  beforeEach(async () => {
    sender = scene.org.member;
    room = await channel(scene.db, scene.org.realm, { subscribers: [sender, scene.org.admin] });
  });

  /** Due messages, a second apart. */
  const make = async (...contents: string[]) => {
    const rows = [];
    for (const [i, content] of contents.entries())
      rows.push(
        await scheduledMessage(scene.db, sender, room, { content, topic: "t", dueIn: i - 60 }),
      );
    return rows;
  };
  const sent = async () =>
    (await messagesOf(scene.as(sender), inChannel(room.id))).map(({ content }) => content);
  /** How many of the pending rows a transaction has locked. */
  const locked = async () => {
    const [found] = await scene.db.rows<{ n: number }>(
      `SELECT (SELECT count(*) FROM scheduled_messages WHERE NOT delivered AND NOT failed)::int
         - (SELECT count(*) FROM (SELECT FROM scheduled_messages WHERE NOT delivered AND NOT failed
            FOR NO KEY UPDATE SKIP LOCKED) free)::int AS n`,
    );
    return found?.n;
  };
  const sizes: number[] = [];
  const deliverBatches = (batch: number) => {
    sizes.length = 0;
    const options = { db: scene.db, site: testSite(), log: silentLogger, batch };
    return deliverAll(options, scene.org.realm.id, {
      maxBatches: 20,
      onBatch: (outcomes) => sizes.push(outcomes.length),
    });
  };
  /** Runs `meanwhile` while one batch is blocked at writing and the next is prepared. @returns the error of the delivery */
  const between = async (meanwhile: (held: HeldUp) => unknown, batch = 2) => {
    const held = await holdUp(scene.db, "INSERT ON messages");
    const delivering = deliverBatches(batch).then(
      () => undefined,
      (error: unknown) => error,
    );
    try {
      await waitFor(async () => (await held.waiting()) === 1 && (await locked()) === 2 * batch, {
        what: "one is written and one is prepared",
      });
      await meanwhile(held);
    } finally {
      await held.release();
    }
    return delivering;
  };

  it("writes nothing before the first batch has committed, and is the only prepared batch", async () => {
    await make("a", "b", "c", "d", "e", "f");
    const error = await between(async (held) => {
      expect(await held.waiting()).to.equal(1);
      expect(await locked()).to.equal(4);
      expect(await sent()).to.deep.equal([]);
    });
    expect(error).to.equal(undefined);
    expect(await sent()).to.deep.equal(["a", "b", "c", "d", "e", "f"]);
    expect(sizes).to.deep.equal([2, 2, 2]);
  });

  it("sees the topic that the previous batch starts, and links to its newest message", async () => {
    const { db, org } = scene;
    const starters = await anonymousGroup(db, org.realm.id, [org.admin.id]);
    const guarded = await channel(db, org.realm, {
      subscribers: [sender],
      groups: { canCreateTopicGroupId: starters },
    });
    const message = (by: TestAccount, content: string, dueIn: number) =>
      scheduledMessage(db, by, guarded, { topic: "new", content, dueIn });
    const begins = await message(org.admin, "begins", -9);
    const follows = await message(sender, "follows", -8);
    const links = await message(sender, `see #**${guarded.name}>new**`, -7);
    expect(await between(() => {}, 1)).to.equal(undefined);
    expect(await storedRow(db, begins.id)).to.include({ delivered: true });
    const before = await storedRow(db, follows.id);
    expect(before).to.include({ delivered: true });
    const after = await storedRow(db, links.id);
    const [linking] = await db.rows<{ html: string }>(
      "SELECT rendered_content AS html FROM messages WHERE id = $1",
      [after?.deliveredMessageId],
    );
    expect(linking?.html).to.contain(`/with/${before?.deliveredMessageId}`);
  });

  it("is delivered again when the previous batch fails, after that batch's other messages", async () => {
    const { db } = scene;
    const rows = await make("a", "poison", "c", "d", "e");
    await db.rows(
      `CREATE FUNCTION refuse_poison() RETURNS trigger LANGUAGE plpgsql AS $$
       BEGIN IF NEW.content = 'poison' THEN RAISE EXCEPTION 'poison'; END IF; RETURN NEW; END $$`,
    );
    await db.rows(
      "CREATE TRIGGER poison BEFORE INSERT ON messages FOR EACH ROW EXECUTE FUNCTION refuse_poison()",
    );
    try {
      expect(await between(() => {})).to.equal(undefined);
    } finally {
      await db.rows("DROP TRIGGER poison ON messages");
      await db.rows("DROP FUNCTION refuse_poison");
    }
    expect(await sent()).to.deep.equal(["a", "c", "d", "e"]);
    expect(await storedRow(db, rows[1]?.id ?? 0)).to.include({ failed: true });
  });

  it("does not affect the previous batch when it fails", async () => {
    const { db } = scene;
    const rows = await make("a", "b", "c", "poison", "e");
    await db.rows(
      `CREATE FUNCTION refuse_poison() RETURNS trigger LANGUAGE plpgsql AS $$
       BEGIN IF NEW.content = 'poison' THEN RAISE EXCEPTION 'poison'; END IF; RETURN NEW; END $$`,
    );
    await db.rows(
      "CREATE TRIGGER poison BEFORE INSERT ON messages FOR EACH ROW EXECUTE FUNCTION refuse_poison()",
    );
    try {
      expect(await between(() => {})).to.equal(undefined);
    } finally {
      await db.rows("DROP TRIGGER poison ON messages");
      await db.rows("DROP FUNCTION refuse_poison");
    }
    expect(await sent()).to.deep.equal(["a", "b", "c", "e"]);
    expect(sizes).to.deep.equal([2, 2, 1]);
    expect(await storedRow(db, rows[3]?.id ?? 0)).to.include({ failed: true });
  });

  it("writes nothing when the previous batch loses its connection", async () => {
    await make("a", "b", "c", "d");
    const error = await between((held) => held.cutOff());
    expect(error).to.be.an("error");
    expect(await sent()).to.deep.equal([]);
    expect(await locked()).to.equal(0);
    await deliverBatches(2);
    expect(await sent()).to.deep.equal(["a", "b", "c", "d"]);
  });

  it("does not affect the previous batch when it loses its own connection", async () => {
    await make("a", "b", "c", "d");
    const cutOff = async () => {
      const gone = await scene.db.rows(
        `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
         WHERE datname = current_database() AND state = 'idle in transaction'`,
      );
      return gone.length > 0;
    };
    const error = await between(() => waitFor(cutOff, { what: "the next batch waits" }));
    expect(error).to.be.an("error");
    expect(await sent()).to.deep.equal(["a", "b"]);
    await deliverBatches(2);
    expect(await sent()).to.deep.equal(["a", "b", "c", "d"]);
  });

  it("limits a batch by the copies of its messages", async () => {
    await make("a", "b", "c", "d");
    await scene.db.rows("UPDATE channels SET subscriber_count = 12_000 WHERE id = $1", [room.id]);
    await deliverBatches(4);
    expect(sizes).to.deep.equal([1, 1, 1, 1]);
    expect(await sent()).to.deep.equal(["a", "b", "c", "d"]);
  });
});
