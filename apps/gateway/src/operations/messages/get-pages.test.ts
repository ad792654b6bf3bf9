import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { getMessages, register } from "@carillon/contract";
import {
  authorization,
  channel,
  pastMessages,
  useScene,
  type TestAccount,
} from "@carillon/testkit";
import { expect } from "chai";

describe("GET /messages: long responses", () => {
  const scene = useScene();
  const count = 60;
  const bytes = 100_000;
  let ids: number[];
  before(async () => {
    const { db, org } = scene;
    const everybody = [org.owner, org.admin, org.moderator, org.member];
    const room = await channel(db, org.owner, { subscribers: everybody });
    ids = await pastMessages(db, room, org.owner, { count });
    await db.rows("UPDATE messages SET rendered_content = repeat('x', $2) WHERE id = ANY($1)", [
      ids,
      bytes,
    ]);
  });
  const params = { anchor: "newest", num_before: 5_000, num_after: 0 } as const;
  const path = "/api/v1/messages?anchor=newest&num_before=5000&num_after=0";

  it("contain all messages in order, with correct found_oldest and found_newest", async () => {
    const { messages, ...rest } = await scene.as(scene.org.member).succeed(getMessages, { params });
    expect(messages.map(({ id }) => id)).to.deep.equal(ids);
    expect(rest).to.deep.include({ found_oldest: true, found_newest: true, found_anchor: false });
    const fewer = await scene
      .as(scene.org.member)
      .succeed(getMessages, { params: { ...params, num_before: 50 } });
    expect(fewer.messages.map(({ id }) => id)).to.deep.equal(ids.slice(-50));
    expect(fewer).to.include({ found_oldest: false, found_newest: true });
  });

  it("hold no pool connection while the client does not read", async () => {
    const { org, gateway, db } = scene;
    const { hostname, port } = new URL(gateway.url);
    const sockets: Socket[] = [];
    const ask = async (account: TestAccount) => {
      const socket = connect(Number(port), hostname);
      sockets.push(socket.on("error", () => {}));
      const lines = Object.entries(authorization(account)).map((line) => line.join(": "));
      socket.write(`GET ${path} HTTP/1.1\r\nHost: x\r\n${lines.join("\r\n")}\r\n\r\n`);
      await once(socket, "readable");
    };
    // More requests than the pool has connections.
    for (const account of [org.owner, org.admin, org.moderator, org.member])
      for (let n = 0; n < 4; n++) await ask(account);
    const { queue_id: queue } = await scene.as(org.guest).succeed(register);
    expect(queue).to.be.a("string");
    const held = await db.rows(
      `SELECT FROM pg_stat_activity WHERE datname = current_database() AND state LIKE 'idle in transaction%'
         AND state_change < now() - interval '1 second'`,
    );
    expect(held).to.deep.equal([]);
    for (const socket of sockets) socket.destroy();
  });
});
