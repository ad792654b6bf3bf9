import { addSubscriptions, createChannel, updateUserGroupMembers } from "@carillon/contract";
import { countEnded, IntentBusy, unqueuedIntents, type QueuedIntent } from "@carillon/outbox";
import { postNoticesOfChange, updateChannel } from "@carillon/domain";
import { sendNotice } from "@carillon/jobs";
import { silentLogger } from "@carillon/kit";
import {
  bot,
  changeOrganization,
  changesOf,
  channel,
  eventsOf,
  killedAfter,
  newGroup,
  runJob,
  send,
  toChannel,
  unique,
  useBlocker,
  user,
  useScene,
} from "@carillon/testkit";
import { expect } from "chai";

// channels.md §11: a retry never duplicates.
describe("A notice is sent once", () => {
  const scene = useScene();
  const blocker = useBlocker(scene.db);

  async function subscribeSomebody(): Promise<unknown> {
    const { db, org } = scene;
    const [room, { id }] = [await channel(db, org.owner), await user(db, org.realm)];
    const params = { subscriptions: [{ name: room.name }], principals: [id] };
    return scene.as(org.owner).succeed(addSubscriptions, { params });
  }

  async function changeChannel(): Promise<unknown> {
    const { db, org } = scene;
    const { id } = await channel(db, org.owner, { subscribers: [org.owner, org.member] });
    const changes = { newName: unique("new"), description: unique("What"), settings: {} };
    return db.transaction((tx) => updateChannel(tx, org.owner, id, changes));
  }

  const causes: Readonly<Record<string, () => Promise<unknown>>> = {
    "of being subscribed": subscribeSomebody,
    "of a new channel": async () => {
      const { db, org } = scene;
      const { id } = await channel(db, org.owner, { subscribers: [org.member] });
      await changeOrganization(db, org.realm, { newStreamAnnouncementsChannelId: id });
      const params = { name: unique("new"), subscribers: [], announce: true };
      return scene.as(org.owner).succeed(createChannel, { params });
    },
    "of a bot that nobody hears": async () => {
      const { db, org } = scene;
      const robot = await bot(db, await user(db, org.realm));
      return send(scene.as(robot), toChannel((await channel(db, org.owner)).id));
    },
    "of a changed channel, whose gateway is gone": changeChannel,
    "of a user group": async () => {
      const { db, org } = scene;
      const members = [await user(db, org.realm), await user(db, org.realm)];
      return scene.as(org.owner).succeed(updateUserGroupMembers, {
        path: { user_group_id: await newGroup(scene.gateway, org.owner, { name: unique("g") }) },
        params: { add: members.map(({ id }) => id) },
      });
    },
  };

  /** What one notice of that kind comes to: rows of messages, copies, events. */
  async function effects(work: () => Promise<unknown>) {
    const { message, userMessage } = scene.db.prisma;
    const [messages, copies] = [await message.count(), await userMessage.count()];
    const { events } = await eventsOf(scene.db, scene.org.realm.id, work);
    return {
      messages: (await message.count()) - messages,
      copies: (await userMessage.count()) - copies,
      events: events.length,
    };
  }

  async function pending(): Promise<readonly QueuedIntent[]> {
    return unqueuedIntents(scene.db, { jobs: [sendNotice.name], olderThanMs: 0, limit: 100 });
  }

  async function caused(cause: () => Promise<unknown>): Promise<QueuedIntent> {
    await cause();
    const [intent, ...more] = await pending();
    if (!intent || more.length > 0) throw new Error(`${more.length + 1} notices are to be sent`);
    return intent;
  }

  const run = ({ intentId, version }: QueuedIntent, db = scene.db) =>
    runJob(db, sendNotice, { intentId, version });

  for (const [what, cause] of Object.entries(causes))
    it(`${what}, after a kill of its worker before any statement`, async () => {
      const first = await caused(cause);
      const whole = await effects(() => run(first));
      const intent = await caused(cause);
      let kills = 0;
      const inTheEnd = await effects(async () => {
        for (let again = true; again; kills++) {
          const { result: killed, tables } = await changesOf(scene.db, () =>
            killedAfter(scene.db, kills, (db) => run(intent, db)),
          );
          again = killed && tables.length === 0;
        }
        await run(intent);
      });
      expect(inTheEnd).to.deep.equal(whole);
      expect(await pending()).to.deep.equal([]);
      // It claims, looks, writes, commits.
      expect(kills).to.be.greaterThan(5);
    });

  for (const [what, cause] of Object.entries(causes))
    it(`${what}, when its job runs several times concurrently and the sweep has added another`, async () => {
      const intent = await caused(cause);
      const whole = await effects(() => run(intent));
      const next = await caused(cause);
      const ended = { ...next, attempts: 1, limit: sendNotice.retry.attempts, reason: "lost" };
      const doubled = await effects(async () => {
        const again = await countEnded(scene.db, [ended]);
        expect(again.map(({ version }) => version)).to.deep.equal([next.version + 1]);
        await Promise.all([next, ...again, next, ...again].map((each) => run(each)));
      });
      expect(doubled).to.deep.equal(whole);
    });

  it("of a changed channel, when its gateway and a worker post it at once", async () => {
    const cause = changeChannel;
    const whole = await caused(cause).then((intent) => effects(() => run(intent)));
    const next = await caused(cause);
    const log = silentLogger;
    const both = await effects(() =>
      Promise.all([postNoticesOfChange({ db: scene.db, log }, next), run(next), run(next)]),
    );
    expect(both).to.deep.equal(whole);
  });

  it("when its worker freezes after its last statement, and PostgreSQL ends its transaction", async () => {
    const intent = await caused(subscribeSomebody);
    await blocker.lock("SELECT FROM event_head WHERE realm_id = $1 FOR UPDATE", [
      scene.org.realm.id,
    ]);
    const frozen = run(intent).then(
      () => "sent",
      () => "ended",
    );
    await blocker.untilWaiting(1, "the worker is about to commit");
    const other = await run(intent).catch((error: unknown) => error);
    expect(other).to.be.instanceOf(IntentBusy);
    const [row] = await scene.db.rows<{ attempts: number }>(
      "SELECT attempts FROM job_intent WHERE id = $1 AND state = 'pending'",
      [intent.intentId],
    );
    expect(row).to.deep.equal({ attempts: 0 });
    await scene.db.rows(
      "SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'",
    );
    expect(await frozen).to.equal("ended");
    await blocker.release();
    expect(await effects(() => run(intent))).to.include({ messages: 1 });
  });
});
