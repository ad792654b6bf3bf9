import {
  getEvents,
  getOwnUser,
  regenerateApiKey,
  register,
  typingStarted,
} from "@carillon/contract";
import { emit } from "@carillon/events";
import {
  bot,
  eventsOf,
  organization,
  refused,
  refusedWith,
  startGateway,
  useDatabase,
  useGateway,
  user,
  waitFor,
  type ApiCredentials,
  type Gateway,
  type TestAccount,
  type TestOrganization,
} from "@carillon/testkit";
import { expect } from "chai";

describe("POST /users/me/api_key/regenerate", () => {
  const db = useDatabase();
  const [here, there] = [useGateway(db), useGateway(db)];
  let org: TestOrganization;
  before(async () => {
    org = await organization(db);
  });

  const withKey = (account: TestAccount, apiKey: string): ApiCredentials => ({
    email: account.deliveryEmail,
    apiKey,
  });
  const statusAt = async (gateway: Gateway, credentials: ApiCredentials) =>
    (await gateway.as(credentials).call(getOwnUser)).status;

  it("gives people and bots a new key and rejects the old one everywhere", async () => {
    const me = await user(db, org.realm);
    for (const account of [me, await bot(db, me)]) {
      expect(await statusAt(there, withKey(account, account.apiKey))).to.equal(200);
      const { result, events } = await eventsOf(db, org.realm.id, () =>
        here.as(account).succeed(regenerateApiKey),
      );
      expect(result.api_key).to.match(/^[A-Za-z0-9]{32}$/);
      expect(result.api_key).not.to.equal(account.apiKey);
      for (const gateway of [here, there]) {
        expect(await statusAt(gateway, withKey(account, account.apiKey))).to.equal(401);
        expect(await statusAt(gateway, withKey(account, result.api_key))).to.equal(200);
      }
      // An event for gateways only.
      expect(events.map(({ type, audience }) => [type, audience])).to.deep.equal([
        ["api_key_changed", []],
      ]);
      const audit = await db.prisma.auditLog.findMany({
        where: { modifiedUserId: account.id, eventType: "user_api_key_changed" },
      });
      expect(audit.map(({ actingUserId }) => actingUserId)).to.deep.equal([account.id]);
      expect(audit.map(({ extraData }) => extraData)).to.deep.equal([{}]);
      expect(here.logText()).not.to.include(result.api_key);
    }
  });

  it("keeps the old key if the request is refused", async () => {
    const hook = await bot(db, org.member, { botType: 2 });
    await refused(db, () => here.as(hook).call(regenerateApiKey), "UNAUTHORIZED");
    await refused(db, () => here.anonymous.call(regenerateApiKey), "UNAUTHORIZED");
    const { apiKeyDigest } = await db.prisma.user.findUniqueOrThrow({ where: { id: hook.id } });
    const { secrets } = here.services.site;
    expect(Buffer.from(apiKeyDigest).equals(secrets.digest(hook.apiKey))).to.equal(true);
  });

  it("gives a new key to one of many requests with the same key, and refuses the others", async () => {
    const me = await user(db, org.realm);
    const answers = await Promise.all(
      [here, there, here, there].map((gateway) => gateway.as(me).call(regenerateApiKey)),
    );
    const given = answers.filter(({ status }) => status === 200);
    expect(given).to.have.length(1);
    expect(answers.filter(({ status }) => status === 401)).to.have.length(3);
    expect(await statusAt(there, withKey(me, given[0]?.body.api_key ?? ""))).to.equal(200);
  });

  it("ends polls with the old key on every gateway, and lets the new key continue", async () => {
    const me = await user(db, org.realm);
    const params = { event_types: ["typing"], fetch_event_types: [] };
    const open = async (gateway: Gateway, account: TestAccount) => {
      const { queue_id, last_event_id } = await gateway.as(account).succeed(register, { params });
      const before = gateway.events.counters.waiting;
      const answer = gateway.as(account).call(getEvents, { params: { queue_id, last_event_id } });
      await waitFor(() => gateway.events.counters.waiting > before, { what: "a poll" });
      return { queue_id, last_event_id, answer };
    };
    const polling = [await open(here, me), await open(there, me)];
    const other = await open(here, org.moderator);
    const { api_key } = await here.as(me).succeed(regenerateApiKey);
    for (const { answer } of polling) refusedWith(await answer, "UNAUTHORIZED");
    const { queue_id, last_event_id } = polling[0] ?? { queue_id: "", last_event_id: 0 };
    const { events } = await there.as(withKey(me, api_key)).succeed(getEvents, {
      params: { queue_id, last_event_id, dont_block: true },
    });
    // The row for gateways has a log position but is no event for clients.
    expect(events.filter(({ type }) => type !== "heartbeat")).to.deep.equal([]);
    await db.transaction(async (tx) => {
      const sender = { user_id: org.moderator.id, email: org.moderator.email };
      emit(tx, org.realm.id, [
        typingStarted({ message_type: "direct", sender, recipients: [sender] }, { audience: null }),
      ]);
    });
    const { body } = await other.answer;
    expect(body.events.map(({ type }) => type)).to.deep.equal(["typing"]);
  });

  it("ends a poll that authenticated with the old key before the change", async () => {
    const me = await user(db, org.realm);
    const late = await startGateway(db, {
      app: {
        // Between authentication and the poll.
        limiter: {
          check: async ({ operation }) => {
            if (operation.id === "get-events") await here.as(me).succeed(regenerateApiKey);
            return undefined;
          },
        },
      },
    });
    try {
      const { queue_id } = await late.as(me).succeed(register, { params: { event_types: [] } });
      const params = { queue_id, last_event_id: -1 };
      refusedWith(await late.as(me).call(getEvents, { params }), "UNAUTHORIZED");
    } finally {
      await late.close();
    }
  });
});
