import { request } from "node:http";
import { createScheduledMessage, getUsers, listScheduledMessages } from "@carillon/contract";
import {
  crowd,
  organization,
  refusedWith,
  scheduledMessage,
  channel,
  useDatabase,
  useGateway,
  authorization,
  type TestAccount,
  type TestOrganization,
} from "@carillon/testkit";
import { expect } from "chai";

describe("Large responses and per-account limits", () => {
  const db = useDatabase();
  const gateway = useGateway(db);
  let org: TestOrganization;
  before(async () => {
    org = await organization(db);
    await crowd(db, org.member, 1_500);
  });

  it("are sent in chunks without a Content-Length, with unchanged content", async () => {
    const params = { client_gravatar: false };
    const { text, headers, body } = await gateway.as(org.owner).get("/api/v1/users", params);
    expect(headers.get("content-length")).to.equal(null);
    expect(headers.get("content-type")).to.equal("application/json");
    expect(body["members"]).to.have.length.greaterThan(1_500);
    expect(text).to.equal(JSON.stringify(body));
    await gateway.as(org.owner).succeed(getUsers, { params });
  });

  it("answer HEAD without a body", async () => {
    const { status, text, headers } = await gateway.as(org.owner).send("HEAD", "/api/v1/users");
    expect([status, text]).to.deep.equal([200, ""]);
    expect(headers.get("content-type")).to.equal("application/json");
  });

  it("stop when the client disconnects, without affecting others", async () => {
    await new Promise<void>((resolve, reject) => {
      const asked = request(`${gateway.url}/api/v1/users`, { headers: authorization(org.owner) });
      asked.on("error", reject);
      asked.on("response", (response) => {
        response.on("error", () => {});
        response.once("data", () => {
          response.destroy();
          resolve();
        });
      });
      asked.end();
    });
    expect((await gateway.as(org.owner).get("/api/v1/users/me")).status).to.equal(200);
  });

  /** Adds copies of one scheduled message up to the limit. */
  async function pile(account: TestAccount, size: number) {
    const room = await channel(db, org.realm, { subscribers: [account] });
    const { id } = await scheduledMessage(db, account, room);
    await db.rows(
      `INSERT INTO scheduled_messages OVERRIDING SYSTEM VALUE
       SELECT (jsonb_populate_record(s, jsonb_build_object(
         'id', nextval(pg_get_serial_sequence('scheduled_messages', 'id')),
         'deliver_at', s.deliver_at + make_interval(secs => n / 3)))).*
       FROM scheduled_messages s, generate_series(1, $2::int) AS n WHERE s.id = $1`,
      [id, size - 1],
    );
    return room;
  }

  it("are read in pages: each scheduled message once, in the order of their time", async () => {
    await pile(org.moderator, 1_001);
    const { scheduled_messages: listed } = await gateway
      .as(org.moderator)
      .succeed(listScheduledMessages);
    expect(new Set(listed.map(({ scheduled_message_id }) => scheduled_message_id))).to.have.length(
      1_001,
    );
    const times = listed.map(({ scheduled_delivery_timestamp }) => scheduled_delivery_timestamp);
    expect(times).to.deep.equal(times.toSorted((a, b) => a - b));
  });

  it("store at most 10,000 scheduled messages, also under concurrent requests", async () => {
    const room = await pile(org.member, 9_998);
    const schedule = () =>
      gateway.as(org.member).call(createScheduledMessage, {
        params: {
          type: "channel",
          to: room.id,
          topic: "x",
          content: "one more",
          scheduled_delivery_timestamp: 4_000_000_000,
        },
      });
    const answers = await Promise.all(Array.from({ length: 6 }, schedule));
    const late = answers.filter(({ body }) => body.result === "error");
    expect(late, late.map(({ body }) => body.msg).join()).to.have.length(4);
    for (const answer of late) {
      refusedWith(answer);
      expect(answer.body.msg).to.include("10000");
    }
    const pending = await db.prisma.scheduledMessage.count({ where: { senderId: org.member.id } });
    expect(pending).to.equal(10_000);
  });
});
