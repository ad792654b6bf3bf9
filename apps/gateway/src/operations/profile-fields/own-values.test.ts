import {
  getOwnUser,
  getUser,
  getUsers,
  register,
  removeOwnProfile,
  updateOwnProfile,
  type UserObject,
} from "@carillon/contract";
import {
  announced,
  changesOf,
  countQueries,
  eventsOf,
  organization,
  profileField,
  refused,
  type TestAccount,
  type TestOrganization,
  useDatabase,
  useGateway,
  user,
} from "@carillon/testkit";
import { expect } from "chai";

describe("The caller's own profile data", () => {
  const db = useDatabase();
  const gateway = useGateway(db);
  let org: TestOrganization;
  let other: TestOrganization;
  let text: number;
  let users: number;
  let reserved: number;
  before(async () => {
    org = await organization(db);
    other = await organization(db);
    text = (await profileField(db, org.realm, { fieldType: 2 })).id;
    users = (await profileField(db, org.realm, { fieldType: 6 })).id;
    reserved = (await profileField(db, org.realm, { editableByUser: false })).id;
  });

  const update = (by: TestAccount, data: unknown) =>
    gateway.as(by).call(updateOwnProfile, { params: { data } });
  const remove = (by: TestAccount, data: unknown) =>
    gateway.as(by).call(removeOwnProfile, { params: { data } });
  const received = async (work: () => Promise<{ body: { msg?: string } }>) => {
    const { result, events } = await eventsOf(db, org.realm.id, work);
    expect(result.body).to.deep.equal({ result: "success", msg: "" });
    return announced(events);
  };
  const event = (of: TestAccount, custom_profile_field: object) => ({
    type: "realm_user",
    op: "update",
    audience: null,
    payload: { person: { user_id: of.id, custom_profile_field } },
  });
  const profile = async (of: TestAccount) =>
    (await gateway.as(of).succeed(getOwnUser)).profile_data;

  it("is stored, sent to all accounts, and shown in every user object", async () => {
    const me = await user(db, org.realm);
    const [a, b] = [org.member.id, me.id];
    const data = [
      { id: text, value: "I *ring* <b>bells</b>" },
      { id: users, value: [a, b, a] },
    ];
    const html = "<p>I <em>ring</em> &lt;b&gt;bells&lt;/b&gt;</p>";
    expect(await received(() => update(me, data))).to.deep.equal([
      event(me, { id: text, value: "I *ring* <b>bells</b>", rendered_value: html }),
      event(me, { id: users, value: `[${a},${b},${a}]` }),
    ]);
    const values = {
      [text]: { value: "I *ring* <b>bells</b>", rendered_value: html },
      [users]: { value: `[${a},${b},${a}]` },
    };
    expect(await profile(me)).to.deep.equal(values);
    const params = { include_custom_profile_fields: true };
    for (const by of [org.owner, org.guest, org.bot]) {
      const client = gateway.as(by);
      const one = await client.succeed(getUser, { path: { user_id: me.id }, params });
      expect(one.user.profile_data).to.deep.equal(values);
      const { members } = await client.succeed(getUsers, { params });
      const snapshot = await client.succeed(register, {
        params: { fetch_event_types: ["realm_user"] },
      });
      const { realm_users: listed } = snapshot as unknown as { realm_users: UserObject[] };
      for (const list of [members, listed]) {
        const mine = list.find(({ user_id }) => user_id === me.id);
        expect(mine?.profile_data).to.deep.equal(values);
        const robot = list.find(({ user_id }) => user_id === org.bot.id);
        expect(robot).not.to.have.property("profile_data");
        const nobody = list.find(({ user_id }) => user_id === org.moderator.id);
        expect(nobody?.profile_data).to.deep.equal({});
      }
    }
    const { members } = await gateway.as(me).succeed(getUsers, { params: {} });
    expect(members.filter((each) => "profile_data" in each)).to.deep.equal([]);
  });

  it("writes nothing and sends no event if unchanged", async () => {
    const me = await user(db, org.realm);
    const data = [
      { id: text, value: "x" },
      { id: users, value: [me.id] },
    ];
    await update(me, data);
    for (const again of [data, [], [{ id: reserved - 1, value: [me.id] }]]) {
      const { tables } = await changesOf(db, () => update(me, again));
      expect(tables).to.deep.equal([]);
    }
    const { tables } = await changesOf(db, () => remove(me, []));
    expect(tables).to.deep.equal([]);
    const next = [...data.slice(1), { id: text, value: "y" }];
    expect(await received(() => update(me, next))).to.have.length(1);
  });

  it("deletes only emptied or removed values", async () => {
    const me = await user(db, org.realm);
    const set = () =>
      update(me, [
        { id: text, value: "x" },
        { id: users, value: [me.id] },
      ]);
    for (const value of [null, "", []]) {
      await set();
      expect(await received(() => update(me, [{ id: text, value }]))).to.deep.equal([
        event(me, { id: text, value: null }),
      ]);
      expect(await profile(me)).to.deep.equal({ [users]: { value: `[${me.id}]` } });
      expect(await received(() => update(me, [{ id: text, value }]))).to.deep.equal([]);
    }
    expect(await received(() => remove(me, [users, text, users]))).to.deep.equal([
      event(me, { id: users, value: null }),
    ]);
    expect(await profile(me)).to.deep.equal({});
    expect(await received(() => remove(me, [users]))).to.deep.equal([]);
  });

  it("uses the last of two values for one field", async () => {
    const me = await user(db, org.realm);
    const data = [
      { id: text, value: "first" },
      { id: text, value: null },
      { id: text, value: "last" },
    ];
    expect(await received(() => update(me, data))).to.have.length(1);
    expect(await profile(me)).to.have.nested.property(`${text}.value`, "last");
  });

  it("is refused for fields that only administrators may edit", async () => {
    const me = await user(db, org.realm);
    const data = [
      { id: text, value: "x" },
      { id: reserved, value: "y" },
    ];
    await refused(db, () => update(me, data), "BAD_REQUEST");
    await refused(db, () => update(me, [{ id: reserved, value: null }]), "BAD_REQUEST");
    await update(me, [{ id: text, value: "x" }]);
    await refused(db, () => remove(me, [text, reserved]), "BAD_REQUEST");
    await refused(db, () => update(org.moderator, data), "BAD_REQUEST");
    expect(await received(() => update(org.admin, data))).to.have.length(2);
    expect(await received(() => remove(org.admin, [reserved]))).to.have.length(1);
  });

  it("refuses unknown fields and fields of another organization with the same error", async () => {
    const there = (await profileField(db, other.realm)).id;
    for (const id of [there, 0, -1, 10 ** 15]) {
      const ok = { id: text, value: "x" };
      for (const value of ["x", null])
        await refused(db, () => update(org.member, [ok, { id, value }]), "BAD_REQUEST");
      await refused(db, () => remove(org.member, [text, id]), "BAD_REQUEST");
    }
  });

  it("refuses bots and requests without credentials", async () => {
    const data = [{ id: text, value: "x" }];
    await refused(db, () => update(org.bot, data), "BAD_REQUEST");
    await refused(db, () => remove(org.bot, [text]), "BAD_REQUEST");
    for (const operation of [updateOwnProfile, removeOwnProfile])
      await refused(db, () => gateway.anonymous.call(operation, {}), "UNAUTHORIZED");
  });

  it("allows guests", async () => {
    expect(await received(() => update(org.guest, [{ id: text, value: "x" }]))).to.have.length(1);
  });

  it("refuses parameters that are not a list of values", async () => {
    const me = org.member;
    const missing = { var_name: "data" };
    await refused(db, () => update(me, undefined), "REQUEST_VARIABLE_MISSING", missing);
    await refused(db, () => remove(me, undefined), "REQUEST_VARIABLE_MISSING", missing);
    const entry = { id: text, value: "x" };
    const unusable: unknown[] = [
      "",
      "null",
      "{}",
      [null],
      [[]],
      [{ id: text }],
      [{ value: "x" }],
      [{ ...entry, id: `${text}` }],
      [{ ...entry, value: 5 }],
      [{ ...entry, value: true }],
      [{ ...entry, value: {} }],
      [{ ...entry, value: ["x"] }],
      [{ ...entry, value: [[1]] }],
      Array.from({ length: 101 }, () => entry),
    ];
    for (const data of unusable) await refused(db, () => update(me, data), "BAD_REQUEST");
    for (const data of ["", "null", text, [`${text}`], ["x"], "[1.5]"])
      await refused(db, () => remove(me, data), "BAD_REQUEST");
  });

  it("runs the same number of statements for any number of fields and people", async () => {
    const there = await organization(db);
    const fields: number[] = [];
    for (let i = 0; i < 6; i++)
      fields.push((await profileField(db, there.realm, { fieldType: i % 2 ? 6 : 1 })).id);
    const people = [there.owner.id, there.admin.id, there.guest.id];
    const entries = (ids: readonly number[], named: readonly number[]) =>
      ids.map((id) => ({ id, value: fields.indexOf(id) % 2 ? named : "x" }));
    const count = async (by: TestAccount, data: unknown) =>
      (await countQueries(db, () => update(by, data))).count;
    const few = await count(there.member, entries(fields.slice(0, 2), [there.member.id]));
    expect(await count(there.moderator, entries(fields, people))).to.equal(few);

    const read = async () => {
      const params = { include_custom_profile_fields: true };
      return (await countQueries(db, () => gateway.as(there.owner).succeed(getUsers, { params })))
        .count;
    };
    const reading = await read();
    for (const by of [there.owner, there.admin, there.guest])
      await update(by, entries(fields, people));
    expect(await read()).to.equal(reading);
  });
});
