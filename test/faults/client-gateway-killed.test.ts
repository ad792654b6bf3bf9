import { Client, type StreamEvent } from "@carillon/client";
import { clientOf, reservePort, waitFor } from "@carillon/testkit";
import { expect } from "chai";
import { crowd } from "./support/load.ts";
import { scenarioMs } from "./support/patience.ts";
import { inWorld, type World } from "./support/world.ts";

/** How often the gateway is killed. */
const kills = 2;
/** Messages that are sent while each gateway runs, and while none does. */
const each = 10;

describe("A client whose gateway is killed in the middle of polls and requests", function () {
  this.timeout(scenarioMs);

  it("gets every event once, and has sent every message once", () =>
    inWorld("postgres", killAgainAndAgain));
});

async function killAgainAndAgain(world: World): Promise<void> {
  const { db } = world;
  const { senders, channels } = await crowd(db);
  const [sender, reader] = senders;
  const [channel] = channels;
  if (!sender || !reader || !channel) throw new Error("nobody is there");
  const port = await reservePort();
  const site = `http://127.0.0.1:${port}`;
  const start = () => world.gateway({ PORT: String(port), RATE_LIMITS: "off" });
  let gateway = await start();

  const ends = new AbortController();
  const as = ({ deliveryEmail: email, apiKey }: typeof sender) =>
    new Client({ site, email, apiKey, retries: 50 });
  const got: string[] = [];
  const seen: string[] = [];
  const take = (event: StreamEvent) => {
    seen.push(event.type);
    if (event.type === "message") got.push(event.message.content);
  };
  const reading = (async () => {
    for await (const event of as(reader).events({ event_types: ["message"], signal: ends.signal }))
      take(event);
  })().catch((error: unknown) => {
    if (!ends.signal.aborted) throw error;
  });
  await waitFor(() => seen.length > 0, { what: "the queue is registered" });

  const sent: string[] = [];
  const sending: Promise<unknown>[] = [];
  const send = (count: number) => {
    for (let i = 0; i < count; i++) {
      const content = `message ${sent.length}`;
      sent.push(content);
      sending.push(
        as(sender).sendMessage({ type: "channel", to: channel.id, topic: "killed", content }),
      );
    }
  };
  for (let kill = 0; kill < kills; kill++) {
    const before = got.length;
    send(each);
    await waitFor(() => got.length > before, { what: "the first messages arrive" });
    await gateway.kill();
    send(each);
    gateway = await start();
    expect((await clientOf(site, undefined).get("/health")).status).to.equal(200);
  }
  await Promise.all(sending);
  await waitFor(() => got.length >= sent.length, { what: "all messages have arrived" });
  const rows = await db.rows<{ content: string }>(
    "SELECT content FROM messages WHERE topic = 'killed' ORDER BY id",
  );
  ends.abort();
  await reading;
  expect(rows.map(({ content }) => content).toSorted()).to.deep.equal(sent.toSorted());
  expect(got.toSorted()).to.deep.equal(sent.toSorted());
  expect(
    seen.filter((type) => type === "registered"),
    "the queue was never lost",
  ).to.have.length(1);
}
