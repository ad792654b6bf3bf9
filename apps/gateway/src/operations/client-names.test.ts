import { sendMessage } from "@carillon/contract";
import {
  channel,
  countWaiting,
  organization,
  useDatabase,
  useGateway,
  user,
  waitFor,
  type Gateway,
  type TestAccount,
  type TestChannel,
  type TestOrganization,
} from "@carillon/testkit";
import { expect } from "chai";

describe("Client names", () => {
  const db = useDatabase();
  const a = useGateway(db);
  const b = useGateway(db);
  let org: TestOrganization;
  let room: TestChannel;
  before(async () => {
    org = await organization(db);
    room = await channel(db, org.realm);
  });

  const send = (sender: TestAccount, client: string, gateway: Gateway = a) =>
    gateway.as(sender).succeed(sendMessage, {
      params: { type: "channel", to: room.id, topic: "x", content: client, client },
    });
  /** The client name in the message's row and in its event. */
  async function sentBy(sender: TestAccount, client: string) {
    const { id } = await send(sender, client);
    const [found] = await db.rows<{ row: string; event: string }>(
      `SELECT c.name AS row, e.payload->'message'->>'client' AS event
       FROM messages m JOIN clients c ON c.id = m.client_id, event_log e
       WHERE m.id = $1 AND e.type = 'message' AND (e.payload->'message'->>'id')::bigint = $1`,
      [id],
    );
    expect(found?.event).to.equal(found?.row);
    return found?.row;
  }
  const added = ({ id }: TestAccount) => db.prisma.client.count({ where: { addedById: id } });
  /** An account that has already added the given number of client names. */
  async function inventor(names: number) {
    const account = await user(db, org.realm);
    await db.rows(
      "INSERT INTO clients (name, added_by_id) SELECT $1::int || ' ' || n, $1 FROM generate_series(1, $2::int) n",
      [account.id, names],
    );
    return account;
  }

  it("are limited to one hundred new names for each account; later ones become unknown", async () => {
    const one = await inventor(99);
    expect(await sentBy(one, "the hundredth")).to.equal("the hundredth");
    expect(await sentBy(one, "one too many")).to.equal("unknown");
    expect(await sentBy(one, "the hundredth")).to.equal("the hundredth");
    expect(await added(one)).to.equal(100);
    // Names that other accounts added do not count, and each account has its own limit.
    const other = await inventor(0);
    expect(await sentBy(other, "of another")).to.equal("of another");
    expect(await sentBy(one, "of another")).to.equal("of another");
    expect(await sentBy(one, "unknown")).to.equal("unknown");
    expect(await added(one)).to.equal(100);
  });

  it("stay within the limit under concurrent requests to two gateways", async () => {
    const one = await inventor(99);
    let sent: Promise<unknown> = Promise.resolve();
    await db.transaction(async (tx) => {
      await tx.rows("LOCK TABLE clients IN SHARE MODE");
      sent = Promise.all([send(one, "here"), send(one, "there", b)]);
      await waitFor(async () => (await countWaiting(db.pool)) >= 2, {
        what: "both requests wait",
      });
    });
    await sent;
    expect(await added(one)).to.equal(100);
  });
});
