import {
  channel,
  send,
  type TestAccount,
  type TestChannel,
  toChannel,
  user,
  useScene,
} from "@carillon/testkit";
import { expect } from "chai";

import { commandLineOn } from "../test-support.ts";
import { examineAway } from "./away.ts";

// docs/decisions/083
describe("carillon doctor on people who are away", () => {
  const scene = useScene();
  const { db } = scene;
  let people: readonly TestAccount[];
  let rooms: readonly TestChannel[];

  beforeEach(async () => {
    const { org } = scene;
    await db.rows("UPDATE subscriptions SET deferred_after = NULL");
    await db.rows("DELETE FROM process_heartbeats");
    await db.rows("DELETE FROM job_intent");
    people = [await user(db, org.realm), await user(db, org.realm)];
    const subscribers = [org.owner, ...people];
    rooms = [
      await channel(db, org.realm, { subscribers }),
      await channel(db, org.realm, { subscribers }),
    ];
  });

  /** Defers the copies of both people, and sends a message to each channel. */
  async function sendToAbsent(): Promise<void> {
    await db.rows(
      `UPDATE subscriptions SET deferred_after = (SELECT coalesce(max(id), 0) FROM messages) WHERE user_id = ANY($1)`,
      [people.map(({ id }) => id)],
    );
    for (const { id } of rooms) await send(scene.as(scene.org.owner), toChannel(id));
  }

  const runOlder = () =>
    db.rows(
      `INSERT INTO process_heartbeats (process_id, role, host, pid, features)
       VALUES (gen_random_uuid(), 'gateway', 'old', 17, '{conditions,series}')`,
    );

  const addJob = (person: TestAccount | undefined, state: string, age: string) =>
    db.rows(
      `INSERT INTO job_intent (realm_id, job, unique_key, payload, state, created_at)
       VALUES ($1, 'make-copies', gen_random_uuid()::text, jsonb_build_object('userId', $2::int), $3, now() - $4::interval)`,
      [person?.realmId, person?.id, state, age],
    );

  it("counts people with deferred copies, and the messages", async () => {
    expect(await examineAway(db)).to.deep.equal([
      { what: "away", state: "ok", text: "no copies are deferred" },
    ]);
    await sendToAbsent();
    expect(await examineAway(db)).to.deep.equal([
      { what: "away", state: "ok", text: "copies of 2 messages are deferred for 2 people" },
    ]);
    const { said } = await commandLineOn(db.url)(["doctor"]);
    expect(said).to.match(/^ok +away: copies of 2 messages are deferred for 2 people$/m);
  });

  it("fails if a process of an earlier release runs while copies are deferred", async () => {
    await runOlder();
    expect(await examineAway(db)).to.deep.equal([
      {
        what: "away",
        state: "ok",
        text: "no copies are deferred while an earlier release runs: gateway 17 on old",
      },
    ]);
    await sendToAbsent();
    const [finding] = await examineAway(db);
    expect(finding?.state).to.equal("failed");
    expect(finding?.text).to.match(
      /^copies of 2 messages are deferred for 2 people, and an earlier release .*: gateway 17 on old\. .*AWAY_AFTER_DAYS=0/,
    );
  });

  it("warns of jobs that are pending for more than an hour, or dead, while copies are missing", async () => {
    const [first, second] = people;
    await addJob(first, "pending", "61 minutes");
    await addJob(first, "done", "61 minutes");
    await addJob(second, "dead", "1 minute");
    expect(await examineAway(db), "all copies exist").to.have.length(1);
    await sendToAbsent();
    const texts = (await examineAway(db)).map(({ state, text }) => `${state}: ${text}`);
    expect(texts).to.have.length(3);
    expect(texts[1]).to.match(/^warning: the jobs .* of 1 person are more than an hour late/);
    expect(texts[2]).to.match(/^warning: the jobs .* of 1 person were given up/);
    await db.rows("UPDATE job_intent SET created_at = now() - interval '59 minutes'");
    expect(await examineAway(db), "a younger job").to.have.length(2);
  });
});
