import { deactivateUser, type DeactivationActions } from "@carillon/domain";
import {
  channel,
  eventsOf,
  organization,
  pastMessages,
  user,
  waitFor,
  type TestProcess,
} from "@carillon/testkit";
import { expect } from "chai";
import { onBothBackends } from "./support/both-backends.ts";
import { gate } from "./support/blockers.ts";
import { waitTimeoutMs, scenarioMs } from "./support/patience.ts";
import { inWorld, type World } from "./support/world.ts";

/** The messages of each channel are one step: a batch and a part of another. */
const rooms = 12;
const messagesEach = 120;
const kills = 5;

const actions: DeactivationActions = {
  delete_profile: false,
  delete_public_channel_messages: true,
  delete_private_channel_messages: false,
  delete_direct_messages: false,
};

onBothBackends("A deletion of messages whose worker is killed five times", scenarioMs, {
  "deletes every message once": (backend) =>
    inWorld(backend, async (world) => {
      await slowDeletions(world);
      await brokenOff(world, async (left) => {
        let worker = await world.worker();
        for (let kill = 0; kill < kills; kill++) {
          const before = await left();
          const goesOn = async () => (await left()) < before;
          await waitFor(goesOn, { what: "messages are deleted", timeoutMs: waitTimeoutMs });
          await worker.kill();
          expect(await left(), `messages at kill ${kill}`).to.be.greaterThan(0);
          worker = world.startWorker();
        }
      });
    }),
});

describe("A deletion of messages", function () {
  this.timeout(scenarioMs);

  it("continues in another worker after SIGTERM, and the first exits with code 0", () =>
    inWorld("postgres", async (world) => {
      await slowDeletions(world);
      await brokenOff(world, async (left) => {
        const worker = await world.worker();
        const before = await left();
        const goesOn = async () => (await left()) < before;
        await waitFor(goesOn, { what: "messages are deleted", timeoutMs: waitTimeoutMs });
        expect(await worker.stop()).to.deep.equal({ code: 0, signal: null });
        expect(await left(), "messages when it has ended").to.be.greaterThan(0);
        world.startWorker();
      });
    }));

  it("continues in another worker while the first is frozen in a batch, and the first does nothing after SIGCONT", () =>
    inWorld("postgres", async (world) => {
      const deletions = await gate(world.db, "DELETE ON messages");
      // The processes set ten seconds themselves; a test of the pool checks that.
      const impatient = new URL(world.db.url);
      impatient.searchParams.set("idle_in_transaction_session_timeout", "1000");
      let frozen: TestProcess | undefined;
      await brokenOff(world, async () => {
        frozen = await world.worker({ DATABASE_URL: impatient.href });
        const waits = async () => (await deletions.waiting()) > 0;
        await waitFor(waits, { what: "a batch is under way", timeoutMs: waitTimeoutMs });
        frozen.signal("SIGSTOP");
        await deletions.open();
        world.startWorker();
      });
      frozen?.signal("SIGCONT");
      await frozen?.waitForLine(/job (failed|stalled)|worker error/, waitTimeoutMs);
    }));
});

/** Deactivates an account with many messages, applies the disturbance, and checks the result. */
async function brokenOff(
  { db }: World,
  disturb: (left: () => Promise<number>) => Promise<void>,
): Promise<void> {
  const { owner, member, realm } = await organization(db);
  const target = await user(db, realm);
  const ids: number[] = [];
  for (let i = 0; i < rooms; i++) {
    const room = await channel(db, realm, { subscribers: [target, member] });
    ids.push(...(await pastMessages(db, room, target, { count: messagesEach })));
    // A message of another account, which must remain: the channel still has a first message.
    await pastMessages(db, room, member, { daysAgo: 1 });
  }
  const left = async () =>
    (await db.rows("SELECT FROM messages WHERE sender_id = $1", [target.id])).length;
  const { events } = await eventsOf(db, realm.id, async () => {
    await deactivateUser(db, owner, target.id, { actions });
    await disturb(left);
    const done = async () =>
      (await db.prisma.messageDeletionJob.count({ where: { finishedAt: { not: null } } })) === 1;
    await waitFor(done, { what: "the deletion is finished", timeoutMs: waitTimeoutMs });
  });
  const announced = events.flatMap(({ type, payload }) =>
    type === "delete_message" ? (payload["message_ids"] as number[]) : [],
  );
  expect(announced.toSorted((a, b) => a - b)).to.deep.equal(ids);
  expect(await left()).to.equal(0);
  const archived = await db.prisma.archivedMessage.count({ where: { senderId: target.id } });
  expect(archived).to.equal(ids.length);
  const copies = await db.rows("SELECT FROM user_messages WHERE message_id = ANY($1)", [ids]);
  expect(copies).to.deep.equal([]);
  const intents = await db.prisma.jobIntent.findMany({ where: { job: "delete-messages" } });
  expect(intents.map(({ state }) => state)).to.deep.equal(["done"]);
}

/** Makes each batch take a while, so that kills hit an unfinished one. */
async function slowDeletions({ db }: World): Promise<void> {
  await db.rows(`CREATE FUNCTION slow_deletion() RETURNS trigger LANGUAGE plpgsql AS
    $$ BEGIN PERFORM pg_sleep(0.2); RETURN NULL; END $$`);
  await db.rows(
    "CREATE TRIGGER slow_deletion BEFORE DELETE ON messages FOR EACH STATEMENT EXECUTE FUNCTION slow_deletion()",
  );
}
