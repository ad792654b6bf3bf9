import {
  clientOf,
  organization,
  type TestAccount,
  type TestOrganization,
  waitFor,
} from "@carillon/testkit";
import type { Database } from "@carillon/db";
import { expect } from "chai";
import { onBothBackends } from "./support/both-backends.ts";
import { killWorkersAt } from "./support/kill-workers.ts";
import { waitTimeoutMs, scenarioMs } from "./support/patience.ts";
import { inWorld, type World } from "./support/world.ts";

/** Statements of the bot's job in the middle of which its worker is killed: the operation, and the answer. */
const places = ["INSERT ON scheduled_messages", "INSERT ON messages"];

onBothBackends("A worker killed while it does a command to the scheduling bot", scenarioMs, {
  "is replaced, and each command is done once and answered once": (backend) =>
    inWorld(backend, killInCommands),
});

async function killInCommands(world: World): Promise<void> {
  const { db } = world;
  const org = await organization(db, { subdomain: "" });
  const gateway = await world.gateway();
  for (const [index, place] of places.entries()) {
    // The command's own message is written before the gate is there.
    await command(gateway.url, org, `send 2031-12-02 9:00 to me: number ${index}`);
    await killWorkersAt(world, [{ statement: place }]);
    const next = world.startWorker();
    await waitFor(async () => (await answers(db, org, org.member)).length === index + 1, {
      what: "the command is answered",
      timeoutMs: waitTimeoutMs,
    });
    await next.kill();
  }
  const worker = world.startWorker();
  await command(gateway.url, org, "list");
  await waitFor(async () => (await answers(db, org, org.member)).length > places.length, {
    what: "a later command is answered",
    timeoutMs: waitTimeoutMs,
  });
  await worker.kill();
  const said = await answers(db, org, org.member);
  expect(said).to.have.length(places.length + 1);
  expect(said.at(-1)).to.contain("2 are planned");
  const rows = await db.rows<{ content: string }>(
    "SELECT content FROM scheduled_messages WHERE sender_id = $1 ORDER BY id",
    [org.member.id],
  );
  expect(rows.map(({ content }) => content)).to.deep.equal(["number 0", "number 1"]);
  const intents = await db.rows<{ state: string }>(
    "SELECT state FROM job_intent WHERE job = 'bot-command'",
  );
  expect(intents.map(({ state }) => state)).to.deep.equal(["done", "done", "done"]);
}

async function command(url: string, org: TestOrganization, content: string): Promise<void> {
  const answer = await clientOf(url, org.member).post("/api/v1/messages", {
    type: "direct",
    to: [org.schedulingBot.id],
    content,
  });
  expect(answer.status, answer.text).to.equal(200);
}

async function answers(
  db: Database,
  { schedulingBot }: TestOrganization,
  { id }: TestAccount,
): Promise<string[]> {
  const rows = await db.rows<{ content: string }>(
    `SELECT m.content FROM messages m JOIN user_messages um ON um.message_id = m.id AND um.user_id = $2
     WHERE m.sender_id = $1 ORDER BY m.id`,
    [schedulingBot.id, id],
  );
  return rows.map(({ content }) => content);
}
