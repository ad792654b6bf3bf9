import {
  deliveredFaults,
  getEvents,
  register,
  updateSettings,
  updateUser,
} from "@carillon/contract";
import { lockClass } from "@carillon/db";
import {
  bot,
  channel,
  eventsOf,
  kindsOf,
  type ReceivedEvent,
  user,
  useScene,
  waitFor,
  watch,
  type TestAccount,
} from "@carillon/testkit";
import { expect } from "chai";

import { without } from "./support/client-model-lists.ts";

// events.md §4, "What one's own role shows".
describe("Events of changes of one's own role", () => {
  const scene = useScene();
  let botIds: number[];
  let hidden: TestAccount;
  let gone: TestAccount;
  let shown: TestAccount;
  let room: { id: number };

  before(async () => {
    const { db, org } = scene;
    const { id: mayCreateUsers } = await bot(db, org.owner, { canCreateUsers: true });
    botIds = [org.bot.id, (await bot(db, org.admin)).id, mayCreateUsers];
    hidden = await user(db, org.realm, { row: { emailAddressVisibility: 3 } });
    gone = await user(db, org.realm, { isActive: false, row: { emailAddressVisibility: 5 } });
    shown = await user(db, org.realm, { row: { emailAddressVisibility: 2 } });
    room = await channel(db, org.realm);
    await db.rows("INSERT INTO default_channels (channel_id) VALUES ($1)", [room.id]);
  });

  const event_types = ["default_streams", "realm_bot", "realm_user"];
  const withoutRole = ({ person }: ReceivedEvent) => !("role" in ((person as object) ?? {}));
  /** The events of the account and of another member after the change, except for the role itself. */
  async function received(account: TestAccount, role: number) {
    const { gateway, org } = scene;
    const queues = {
      own: { account, params: { event_types } },
      other: { account: org.member, params: { event_types } },
      admin: { account: org.admin, params: { event_types } },
    };
    const { own, other, admin } = await watch(gateway, queues, () =>
      scene.as(org.owner).succeed(updateUser, { path: { user_id: account.id }, params: { role } }),
    );
    expect([...other, ...admin].filter(withoutRole)).to.deep.equal([]);
    expect(own.flatMap((event) => deliveredFaults(event))).to.deep.equal([]);
    return own.filter(withoutRole).map((event) => ({
      kind: kindsOf([event])[0],
      ...without(event, "id", "type", "op"),
    }));
  }
  const botAdded = (user_id: number | undefined) => ({
    kind: "realm_bot/add",
    bot: {
      user_id,
      services: [],
      default_sending_stream: null,
      default_events_register_stream: null,
      default_all_public_streams: false,
    },
  });
  const botDeleted = (user_id: number | undefined) => ({
    kind: "realm_bot/delete",
    bot: { user_id },
  });
  /** The two events of a person's address, shown or hidden. */
  const address = async (of: TestAccount, viewer: TestAccount, isShown: boolean) => {
    const snapshot = (await scene
      .as(viewer)
      .succeed(register, { params: { fetch_event_types: ["realm_user"] } })) as unknown as Record<
      "realm_users" | "realm_non_active_users",
      Array<{ user_id: number; avatar_url: string; delivery_email: string | null }>
    >;
    const person = [...snapshot.realm_users, ...snapshot.realm_non_active_users].find(
      ({ user_id }) => user_id === of.id,
    );
    const avatar_url = person?.avatar_url;
    expect(person?.delivery_email).to.equal(isShown ? of.deliveryEmail : null);
    return [
      {
        kind: "realm_user/update",
        person: { user_id: of.id, delivery_email: isShown ? of.deliveryEmail : null },
      },
      {
        kind: "realm_user/update",
        person: {
          user_id: of.id,
          avatar_source: "G",
          avatar_version: of.avatarVersion,
          avatar_url,
          avatar_url_medium: `${avatar_url}&s=500`,
        },
      },
    ];
  };

  it("send an administrator the bots and addresses, and remove them afterwards", async () => {
    const account = await user(scene.db, scene.org.realm);
    const own = await bot(scene.db, account);
    const up = await received(account, 200);
    expect(up).to.deep.equal([
      botAdded(botIds[0]),
      botAdded(botIds[1]),
      ...(await address(hidden, account, true)),
      ...(await address(gone, account, true)),
    ]);
    // Owners alone administer a bot that may create users.
    expect(await received(account, 100)).to.deep.equal([botAdded(botIds[2])]);
    expect(await received(account, 200)).to.deep.equal([botDeleted(botIds[2])]);
    const down = await received(account, 400);
    expect(down).to.deep.equal([
      botDeleted(botIds[0]),
      botDeleted(botIds[1]),
      ...(await address(hidden, account, false)),
      ...(await address(gone, account, false)),
    ]);
    expect(JSON.stringify([...up, ...down])).not.to.contain(`"user_id":${own.id}`);
  });

  it("remove the default channels and members' addresses for a guest, and restore them", async () => {
    const account = await user(scene.db, scene.org.realm);
    expect(await received(account, 600)).to.deep.equal([
      { kind: "default_streams", default_streams: [] },
      ...(await address(shown, account, false)),
    ]);
    expect(await received(account, 400)).to.deep.equal([
      { kind: "default_streams", default_streams: [room.id] },
      ...(await address(shown, account, true)),
    ]);
  });

  it("omit what the account sees with both roles, including its own address", async () => {
    const account = await user(scene.db, scene.org.realm);
    await scene.db.rows("UPDATE users SET email_address_visibility = 5 WHERE id = $1", [
      account.id,
    ]);
    expect(await received(account, 300)).to.deep.equal(await address(gone, account, true));
    await scene.db.rows("UPDATE users SET email_address_visibility = 4 WHERE id = $1", [
      account.id,
    ]);
  });

  it("show the same pictures to open polls as to later ones", async () => {
    const { org, gateway } = scene;
    const account = await user(scene.db, org.realm);
    const client = scene.as(account);
    const { queue_id, last_event_id } = await client.succeed(register, {
      params: { event_types, fetch_event_types: [] },
    });
    const open = client.succeed(getEvents, { params: { queue_id, last_event_id } });
    const isOpen = () => gateway.events.counters.waiting === 1;
    await waitFor(isOpen, { what: "an open poll" });
    const role = { path: { user_id: account.id }, params: { role: 200 } };
    await scene.as(org.owner).succeed(updateUser, role);
    const { events } = await open;
    const pictures = events.filter(({ person }) => "avatar_url" in ((person as object) ?? {}));
    const shownNow = [...(await address(hidden, account, true))].slice(1);
    expect(pictures.map(({ person }) => person)).to.deep.include(shownNow[0]?.person);
  });

  it("omit the address of an account whose role changes at the same time", async () => {
    const { db, org } = scene;
    const [promoted, hiding] = [await user(db, org.realm), await user(db, org.realm)];
    const { events } = await eventsOf(db, org.realm.id, async () => {
      let answer: Promise<unknown> | undefined;
      await db.transaction(async (tx) => {
        await tx.rows("SELECT pg_advisory_xact_lock($1, $2)", [lockClass.groups, org.realm.id]);
        await tx.rows("UPDATE users SET role = 200 WHERE id = $1", [promoted.id]);
        const params = { email_address_visibility: 3 };
        answer = scene.as(hiding).succeed(updateSettings, { params });
        const waits = async () => {
          const waiting = await db.rows(
            `SELECT FROM pg_locks WHERE locktype = 'advisory' AND NOT granted AND objid = $1
               AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`,
            [org.realm.id],
          );
          return waiting.length > 0;
        };
        await waitFor(waits, { what: "the other request to wait" });
      });
      await answer;
    });
    const hides = events.find(({ payload }) => {
      const { delivery_email } = (payload["person"] ?? {}) as { delivery_email?: unknown };
      return delivery_email === null;
    });
    expect(hides?.audience).to.include(org.member.id);
    expect(hides?.audience).not.to.include(promoted.id);
  });
});
