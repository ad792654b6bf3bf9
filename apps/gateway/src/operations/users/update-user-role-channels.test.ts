import { updateUser } from "@carillon/contract";
import {
  anonymousGroup,
  channel,
  countQueries,
  eventsOf,
  organization,
  roles,
  useScene,
  user,
  type LoggedEvent,
  type TestAccount,
  type TestOrganization,
  type QueryCount,
} from "@carillon/testkit";
import { expect } from "chai";

/** Without wake-up notifications, which may be sent after the response. */
const ownStatements = ({ statements }: QueryCount<unknown>) =>
  statements.filter((text) => !text.includes("pg_notify"));

describe("PATCH /users/{user_id}: role and channels", () => {
  const scene = useScene();
  const { db } = scene;

  let own: TestOrganization;
  before(async () => {
    own = await organization(db);
  });
  /** The events, except those of default channels and bots. */
  const changeRole = async (target: TestAccount, role: number) => {
    const { events: all } = await eventsOf(db, own.realm.id, () =>
      scene.gateway
        .as(own.owner)
        .succeed(updateUser, { path: { user_id: target.id }, params: { role } }),
    );
    const events = all.filter(({ type }) => !["default_streams", "realm_bot"].includes(type));
    const first = events.findIndex(({ type }) => type === "stream" || type === "subscription");
    const tail = first < 0 ? [] : events.slice(first);
    expect(events.slice(0, first < 0 ? undefined : first).map(({ type }) => type)).to.have.members([
      "realm_user",
      ...events.filter(({ type }) => type === "user_group").map(({ type }) => type),
    ]);
    return tail;
  };

  it("sends the account channels that it gains with their subscribers, and deletes those that it loses", async () => {
    const target = await user(db, own.realm, { role: roles.guest });
    const open = await channel(db, own.owner, { subscribers: [own.member, own.admin] });
    const quiet = await channel(db, own.owner);
    const mine = await channel(db, own.owner, { subscribers: [target] });
    const moderated = await channel(db, own.realm, {
      inviteOnly: true,
      groups: { canSubscribeGroupId: own.groups["role:moderators"] },
    });
    const secret = await channel(db, own.realm, { inviteOnly: true, subscribers: [own.member] });
    const archived = await channel(db, own.realm, { isArchived: true });

    const member = await changeRole(target, 400);
    expect(member.map(({ type, op }) => `${type}/${op}`)).to.deep.equal([
      "stream/create",
      "subscription/peer_add",
    ]);
    const idsOf = (event: LoggedEvent | undefined) =>
      ((event?.payload["streams"] ?? []) as Array<{ stream_id: number }>).map(
        ({ stream_id }) => stream_id,
      );
    expect(idsOf(member[0])).to.deep.equal([open.id, quiet.id, archived.id]);
    expect(member[1]?.payload).to.deep.equal({
      stream_ids: [open.id],
      user_ids: [own.admin.id, own.member.id].sort((a, b) => a - b),
    });
    for (const { audience } of member) expect(audience).to.deep.equal([target.id]);

    const moderator = await changeRole(target, 300);
    expect(moderator.map(({ type, op }) => `${type}/${op}`)).to.deep.equal(["stream/create"]);
    expect(idsOf(moderator[0])).to.deep.equal([moderated.id]);

    const administrator = await changeRole(target, 200);
    expect(idsOf(administrator[0])).to.deep.equal([secret.id]);
    expect(administrator[1]?.payload).to.deep.equal({
      stream_ids: [secret.id],
      user_ids: [own.member.id],
    });

    const guest = await changeRole(target, 600);
    expect(guest).to.have.length(1);
    expect(guest[0]).to.deep.include({ type: "stream", op: "delete", audience: [target.id] });
    const gone = [open.id, quiet.id, moderated.id, secret.id, archived.id];
    expect(guest[0]?.payload).to.deep.equal({
      stream_ids: gone,
      streams: gone.map((stream_id) => ({ stream_id })),
      // Written to the log only: clients that do not know archived channels get no event.
      archived: [archived.id],
    });
    expect(gone).not.to.include(mine.id);
  });

  it("runs the same number of statements for any number of channels and groups", async () => {
    const target = await user(db, own.realm, { role: roles.guest });
    const patchRole = (role: number) =>
      countQueries(db, () =>
        scene.gateway
          .as(own.owner)
          .succeed(updateUser, { path: { user_id: target.id }, params: { role } }),
      );
    const few = await patchRole(300);
    await patchRole(600);
    for (let i = 0; i < 8; i++) {
      const group = await anonymousGroup(db, own.realm.id, [target.id]);
      await channel(db, own.owner, {
        inviteOnly: i % 2 === 0,
        subscribers: [own.member],
        groups: { canSubscribeGroupId: group },
      });
    }
    const many = await patchRole(300);
    expect(ownStatements(many).length).to.be.at.most(ownStatements(few).length);
  });
});
