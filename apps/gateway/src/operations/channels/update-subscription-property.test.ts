import { updateSubscriptionProperty } from "@carillon/contract";
import {
  changeChannel,
  channel,
  eventsOf,
  organization,
  refused,
  refusedAlike,
  type TestAccount,
  type TestChannel,
  unsubscribe,
  useScene,
} from "@carillon/testkit";
import { expect } from "chai";

// channels.md §8
describe("PATCH /users/me/subscriptions/{stream_id}", () => {
  const scene = useScene();
  const { db } = scene;
  let member: TestAccount;
  let room: TestChannel;

  before(async () => {
    ({ member } = scene.org);
    room = await channel(db, scene.org.realm, { subscribers: [member, scene.org.guest] });
  });

  type Params = Readonly<Record<string, unknown>>;
  const ask = (params: Params, stream_id = room.id, by = member) =>
    scene.as(by).call(updateSubscriptionProperty, { path: { stream_id }, params });
  const received = async (params: Params, by = member) => {
    const { result, events } = await eventsOf(db, member.realmId, () => ask(params, room.id, by));
    expect(result.body).to.deep.equal({ result: "success", msg: "" });
    return events.map(({ type, op, payload, audience }) => {
      expect([type, op, audience]).to.deep.equal(["subscription", "update", [by.id]]);
      return payload;
    });
  };

  it("changes the colour and each flag of the caller's subscription and sends events", async () => {
    const stream_id = room.id;
    const color = { property: "color", value: "#AABB00" };
    expect(await received(color)).to.deep.equal([{ stream_id, ...color, value: "#aabb00" }]);
    expect(await received(color), "the same again").to.deep.equal([]);
    for (const property of ["pin_to_top", "push_notifications", "wildcard_mentions_notify"])
      for (const value of [true, false])
        expect(await received({ property, value })).to.deep.equal([{ stream_id, property, value }]);
    for (const change of [
      { property: "in_home_view", value: false },
      { property: "is_muted", value: false },
    ]) {
      const muted = change.property === "in_home_view";
      expect(await received(change)).to.deep.equal([
        { stream_id, property: "in_home_view", value: !muted },
        { stream_id, property: "is_muted", value: muted },
      ]);
    }
    expect(await received({ property: "pin_to_top", value: true }, scene.org.guest)).to.have.length(
      1,
    );
  });

  it("changes subscriptions to archived channels", async () => {
    const archived = await channel(db, scene.org.realm, { subscribers: [member] });
    await changeChannel(db, archived, { isArchived: true });
    expect((await ask({ property: "is_muted", value: true }, archived.id)).status).to.equal(200);
  });

  it("refuses other properties and values", async () => {
    for (const params of [
      { property: "name", value: "true" },
      { property: "", value: "true" },
      { property: "is_muted", value: "yes" },
      { property: "is_muted", value: "1" },
      { property: "is_muted", value: '"true"' },
      { property: "is_muted", value: "#aabb00" },
      { property: "color", value: "true" },
      { property: "color", value: "#aabb0" },
      { property: "color", value: "red" },
    ])
      await refused(db, () => ask(params), "BAD_REQUEST", {});
    for (const name of ["property", "value"])
      await refused(
        db,
        () => ask({ property: "color", value: "#aabb00", [name]: undefined }),
        "REQUEST_VARIABLE_MISSING",
      );
  });

  it("refuses all channels without a subscription with the same error", async () => {
    const other = await organization(db);
    const ids = [
      (await channel(db, scene.org.realm)).id,
      (await channel(db, scene.org.realm, { inviteOnly: true })).id,
      (await channel(db, other.realm, { subscribers: [other.member] })).id,
      0,
      2_000_000_000,
    ];
    const left = await channel(db, scene.org.realm, { subscribers: [member] });
    await unsubscribe(db, left, member);
    await refusedAlike(db, [...ids, left.id], (id) =>
      ask({ property: "is_muted", value: true }, id),
    );
  });
});
