import { deactivateUser } from "@carillon/contract";
import {
  changeChannel,
  channel,
  clientOf,
  dailySeries,
  dueSeries,
  type DueSeries,
  inChannel,
  makeSeries,
  messagesOf,
  noticesTo,
  organization,
  runsOf,
  seriesOf,
  type TestAccount,
  user,
  userGroup,
  waitFor,
} from "@carillon/testkit";
import type { Database } from "@carillon/db";
import { expect } from "chai";
import { onBothBackends } from "./support/both-backends.ts";
import { addDeliveryJobs, crowd, schedule } from "./support/load.ts";
import { waitTimeoutMs, scenarioMs } from "./support/patience.ts";
import { expectSoundSeries } from "./support/sound-series.ts";
import { verdict } from "./support/verdict.ts";
import { inWorld, type World } from "./support/world.ts";

const wrongClock = new URL("support/skewed-clock.mjs", import.meta.url).href;
const otherTzdata = new URL("support/other-tzdata.mjs", import.meta.url).href;

const day = 86_400;

onBothBackends("Series", scenarioMs, {
  "send one message at most after three days without workers, and tell of the others once": (
    backend,
  ) => inWorld(backend, threeDays),
  "send nothing from a deactivated author, into an archived channel or without managers": (
    backend,
  ) => inWorld(backend, deprived),
  "are sent, none early, by a worker whose clock is five minutes ahead": (backend) =>
    inWorld(backend, (world) => skewed(world, 5)),
  "are sent, none early, by a worker whose clock is five minutes behind": (backend) =>
    inWorld(backend, (world) => skewed(world, -5)),
  "keep the times of the newest time zone database among their workers": (backend) =>
    inWorld(backend, oldAndNewTzdata),
});

async function threeDays(world: World): Promise<void> {
  const { db } = world;
  const org = await organization(db);
  const gateway = await world.gateway();
  const as = (account: TestAccount) => clientOf(gateway.url, account);
  const room = await channel(db, org.realm, { subscribers: [org.member, org.admin] });
  const late = (author: TestAccount, catchUpSeconds: number) =>
    dueSeries(
      db,
      as(author),
      dailySeries(room.id, { catch_up_seconds: catchUpSeconds, topic: String(author.id) }),
    );
  // One was due a minute ago, the other is moved by an hour: the latest of its days is too late.
  const patient = await late(org.member, 7_200);
  const strict = await late(org.admin, 600);
  await db.rows(
    `UPDATE message_series SET start = to_char(start::timestamp - interval '1 hour', 'YYYY-MM-DD"T"HH24:MI:SS')
     WHERE id = $1`,
    [strict.id],
  );
  for (const { id } of [patient, strict]) await passDays(db, id, 3, id === strict.id ? 3_600 : 0);
  await world.worker();
  await allPlannedAhead(db);
  const messages = await messagesOf(as(org.member), inChannel(room.id));
  expect(messages.map(({ sender_id }) => sender_id)).to.deep.equal([org.member.id]);
  const outcomes = async (author: TestAccount, { id }: DueSeries) =>
    (await runsOf(as(author), id)).map(({ outcome }) => outcome);
  expect(await outcomes(org.member, patient)).to.deep.equal(["sent", "missed", "missed", "missed"]);
  expect(await outcomes(org.admin, strict)).to.deep.equal(["missed", "missed", "missed", "missed"]);
  for (const author of [org.member, org.admin])
    expect(await noticesTo(as(author), org.notificationBot)).to.have.length(1);
  const [failures] = await db.rows<{ count: number }>(
    "SELECT count(*)::int AS count FROM delivery_failures",
  );
  expect(failures).to.deep.equal({ count: 2 });
  await expectSoundSeries(db);
}

/** Moves the planned occurrence further into the past, as if nothing had run since. */
function passDays(db: Database, id: number, days: number, seconds: number): Promise<unknown[]> {
  return db.rows(
    `UPDATE scheduled_messages SET occurrence = occurrence - $2::int,
       deliver_at = deliver_at - make_interval(days => $2, secs => $3)
     WHERE series_id = $1 AND NOT delivered`,
    [id, days, seconds],
  );
}

async function deprived(world: World): Promise<void> {
  const { db } = world;
  const org = await organization(db);
  const gateway = await world.gateway();
  const as = (account: TestAccount) => clientOf(gateway.url, account);
  const [gone, manager, left, author] = [
    await user(db, org.realm),
    await user(db, org.realm),
    await user(db, org.realm),
    await user(db, org.realm),
  ];
  const subscribers = [gone, manager, author, org.member];
  const room = await channel(db, org.realm, { subscribers });
  const closing = await channel(db, org.realm, { subscribers });
  const managers = await userGroup(db, org.realm, { members: [manager] });
  const emptied = await userGroup(db, org.realm, { members: [left] });
  const create = (by: TestAccount, to: number, topic: string, managedBy?: number) =>
    dueSeries(db, as(by), dailySeries(to, { topic, content: topic, can_manage_group: managedBy }));
  const all = {
    orphaned: await create(gone, room.id, "orphaned"),
    managed: await create(gone, room.id, "managed", managers.id),
    emptied: await create(gone, room.id, "emptied", emptied.id),
    managedArchived: await create(gone, closing.id, "managed, archived", managers.id),
    archived: await create(author, closing.id, "archived"),
  };
  await changeChannel(db, closing, { isArchived: true });
  await db.rows("DELETE FROM user_group_member WHERE group_id = $1", [emptied.id]);
  await as(org.owner).succeed(deactivateUser, { path: { user_id: gone.id } });
  const ids = Object.values(all).map(({ id }) => id);
  await world.worker();
  await waitFor(async () => (await ended(db, ids)) === ids.length, {
    what: "each occurrence has ended",
    timeoutMs: waitTimeoutMs,
  });
  const messages = await messagesOf(as(org.member), inChannel(room.id));
  expect(messages.map(({ sender_id, subject }) => [sender_id, subject])).to.deep.equal([
    [org.notificationBot.id, "managed"],
  ]);
  expect(messages[0]?.content).to.include("whose account is deactivated");
  expect(await messagesOf(as(org.member), inChannel(closing.id))).to.deep.equal([]);
  await expectStates(as(org.owner), all);
  expect(await noticesTo(as(manager), org.notificationBot), "told once").to.have.length(1);
  expect(await noticesTo(as(author), org.notificationBot)).to.have.length(1);
  await expectSoundSeries(db);
}

async function expectStates(
  owner: ReturnType<typeof clientOf>,
  all: Readonly<Record<string, DueSeries>>,
): Promise<void> {
  const states = await Promise.all(
    Object.entries(all).map(async ([name, { id }]) => {
      const { state, paused_reason, consecutive_failures } = await seriesOf(owner, id);
      const [run] = await runsOf(owner, id);
      return [name, [state, paused_reason, consecutive_failures, run?.outcome]] as const;
    }),
  );
  expect(Object.fromEntries(states)).to.deep.equal({
    orphaned: ["paused", "author_deactivated", 0, "failed"],
    managed: ["active", null, 0, "sent"],
    emptied: ["paused", "author_deactivated", 0, "failed"],
    managedArchived: ["active", null, 1, "failed"],
    archived: ["active", null, 1, "failed"],
  });
}

async function ended(db: Database, ids: readonly number[]): Promise<number> {
  const [row] = await db.rows<{ count: number }>(
    "SELECT count(DISTINCT series_id)::int AS count FROM series_runs WHERE series_id = ANY($1::int[])",
    [ids],
  );
  return row?.count ?? 0;
}

async function skewed(world: World, minutes: number): Promise<void> {
  const { db, queues } = world;
  const people = await crowd(db);
  const worker = await world.worker({
    NODE_OPTIONS: `--import=${wrongClock}`,
    CLOCK_SKEW_MS: String(minutes * 60_000),
  });
  const shown = Date.parse(String(worker.lines[0]?.["time"]));
  expect(shown - Date.now(), "its clock is wrong").to.be.closeTo(minutes * 60_000, 120_000);
  const planned = await schedule(db, people, {
    count: 100,
    dueIn: 5,
    seconds: 1,
    noReminders: true,
  });
  await makeSeries(
    db,
    planned.map(({ scheduledMessageId }) => scheduledMessageId),
  );
  await addDeliveryJobs(queues, planned);
  await waitFor(async () => (await verdict(db, people.realmId)).sent === planned.length, {
    what: "everything is sent",
    timeoutMs: waitTimeoutMs,
  });
  const found = await verdict(db, people.realmId);
  expect(found).to.include({ pending: planned.length, failed: 0, twice: 0, early: 0 });
  await allPlannedAhead(db);
  await expectSoundSeries(db);
}

/** No version of this process's database is older or newer than these. */
const versions = { oldest: "1990a", older: "2000a", newest: "2999z" };

async function oldAndNewTzdata(world: World): Promise<void> {
  const { db } = world;
  const people = await crowd(db);
  const [row] = await schedule(db, people, {
    count: 1,
    dueIn: 3_600,
    seconds: 1,
    noReminders: true,
  });
  if (!row) throw new Error("nothing was scheduled");
  await makeSeries(db, [row.scheduledMessageId]);
  // An older database had another time for it.
  await db.rows(
    "UPDATE scheduled_messages SET tzdata = $1, deliver_at = deliver_at + interval '1 hour' WHERE realm_id = $2",
    [versions.oldest, people.realmId],
  );
  const stored = async () => {
    const [found] = await db.rows<{ tzdata: string; ahead: number; version: number }>(
      `SELECT tzdata, extract(epoch FROM deliver_at)::float8 - $2::float8 AS ahead, version
       FROM scheduled_messages WHERE id = $1`,
      [row.scheduledMessageId, row.deliverAt],
    );
    return found;
  };
  const startWith = (version: string) =>
    world.startWorker({ NODE_OPTIONS: `--import=${otherTzdata}`, TZDATA_VERSION: version });
  startWith(versions.newest);
  await waitFor(async () => (await stored())?.tzdata === versions.newest, {
    what: "the newest worker has computed the time",
    timeoutMs: waitTimeoutMs,
  });
  const corrected = { tzdata: versions.newest, ahead: 0, version: row.version + 1 };
  expect(await stored()).to.deep.equal(corrected);
  // The older worker runs the same task at its start, and delivers what is due after it.
  const older = startWith(versions.older);
  await older.waitForLine("worker started", waitTimeoutMs);
  const [marker] = await schedule(db, people, { count: 1, dueIn: -30, seconds: 1 });
  await waitFor(
    async () => {
      const [sent] = await db.rows<{ delivered: boolean }>(
        "SELECT delivered FROM scheduled_messages WHERE id = $1",
        [marker?.scheduledMessageId],
      );
      return sent?.delivered;
    },
    { what: "the workers go on", timeoutMs: waitTimeoutMs },
  );
  expect(await stored()).to.deep.equal(corrected);
}

/** Waits until each active series has its next occurrence in the future. */
async function allPlannedAhead(db: Database): Promise<void> {
  const behind = async () => {
    const rows = await db.rows(
      `SELECT FROM message_series m WHERE m.state = 'active' AND NOT EXISTS (
         SELECT FROM scheduled_messages s WHERE s.series_id = m.id AND NOT s.delivered AND NOT s.failed
           AND s.deliver_at BETWEEN now() AND now() + make_interval(secs => $1))`,
      [day],
    );
    return rows.length === 0;
  };
  await waitFor(behind, {
    what: "the next occurrences are in the future",
    timeoutMs: waitTimeoutMs,
  });
}
