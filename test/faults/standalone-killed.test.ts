import type { GatewayClient, QueueBackend } from "@carillon/testkit";
import { expect } from "chai";
import { onBothBackends } from "./support/both-backends.ts";
import { install, type Installed } from "./support/installed.ts";
import { waitTimeoutMs, scenarioMs } from "./support/patience.ts";
import { expectReadmeCommands } from "./support/readme-commands.ts";
import { allSent, expectSentOnce } from "./support/verdict.ts";

const messages = 20;

onBothBackends("The standalone, killed and started again", scenarioMs, {
  "does what the README says of the scheduling bot, and keeps ports, credentials and pending messages":
    killedTwice,
});

async function killedTwice(backend: QueueBackend): Promise<void> {
  const installed = await install(backend);
  try {
    await installed.start();
    await expectReadmeCommands(await installed.member());
    const before = await installed.credentials();
    await schedule(await installed.member(), "first");
    await installed.kill();

    // Restart at once: its apps and its PostgreSQL may still be running.
    await installed.start();
    expect(await installed.credentials()).to.deep.equal(before);
    await expectSent(installed, messages);

    await schedule(await installed.member(), "second");
    await installed.kill();
    await installed.killPostgres();
    await installed.start();
    await expectSent(installed, 2 * messages);
    expect(await read(await installed.member())).to.deep.equal([
      ...texts("first"),
      ...texts("second"),
    ]);
    expect(await installed.credentials()).to.deep.equal(before);
    expect(await installed.stop()).to.deep.equal({ code: 0, signal: null });
  } finally {
    await installed.close();
  }
}

function texts(round: string): string[] {
  return Array.from({ length: messages }, (_, i) => `${round} ${i}`);
}

async function schedule(client: GatewayClient, round: string): Promise<void> {
  const { body } = await client.get("/api/v1/streams");
  const [general] = body["streams"] as ReadonlyArray<{ stream_id: number }>;
  for (const content of texts(round)) {
    const answer = await client.post("/api/v1/scheduled_messages", {
      type: "channel",
      to: general?.stream_id,
      topic: "kept",
      content,
      scheduled_delivery_timestamp: Math.floor(Date.now() / 1_000) + 10,
    });
    expect(answer.status, answer.text).to.equal(200);
  }
}

async function expectSent(installed: Installed, count: number): Promise<void> {
  const db = await installed.database();
  try {
    const [realm] = await db.rows<{ id: number }>("SELECT id FROM realms");
    await allSent(db, realm?.id ?? 0, waitTimeoutMs);
    await expectSentOnce(db, realm?.id ?? 0, count);
  } finally {
    await db.close();
  }
}

/** Returns the messages of the topic as the member reads them, oldest first. */
async function read(client: GatewayClient): Promise<string[]> {
  const { body } = await client.get("/api/v1/messages", {
    anchor: "newest",
    num_before: 100,
    num_after: 0,
    apply_markdown: false,
    narrow: [{ operator: "topic", operand: "kept" }],
  });
  return (body["messages"] as ReadonlyArray<{ content: string }>).map(({ content }) => content);
}
