import {
  createProfileField,
  deactivateUser,
  deleteProfileField,
  maxProfileFields,
  reorderProfileFields,
  updateOwnProfile,
  updateProfileField,
  updateUser,
} from "@carillon/contract";
import { lockGroupGraph } from "@carillon/model";
import {
  countWaiting,
  eventsOf,
  organization,
  type Params,
  profileField,
  type Refusable,
  refusedWith,
  roles,
  type TestAccount,
  type TestOrganization,
  unique,
  useDatabase,
  useGateway,
  user,
  waitFor,
} from "@carillon/testkit";
import { expect } from "chai";

/** Rounds of each race; the winner differs between rounds. */
const rounds = 6;

describe("Custom profile fields: concurrent requests", () => {
  const db = useDatabase({ max: 20 });
  const gateways = [useGateway(db), useGateway(db)] as const;
  let org: TestOrganization;
  beforeEach(async () => {
    org = await organization(db);
  });

  const as = (number: number, by: TestAccount = org.admin) => gateways[number % 2 ? 1 : 0].as(by);
  const create = (number: number, params: Params, by?: TestAccount) =>
    as(number, by).call(createProfileField, {
      params: { field_type: 1, name: unique("field"), ...params },
    });
  const change = (number: number, id: number, params: Params, by?: TestAccount) =>
    as(number, by).call(updateProfileField, { path: { field_id: id }, params });
  const remove = (number: number, id: number) =>
    as(number).call(deleteProfileField, { path: { field_id: id } });
  const say = (number: number, id: number, value: unknown, by: TestAccount = org.member) =>
    as(number, by).call(updateOwnProfile, { params: { data: [{ id, value }] } });
  const succeeded = (answers: readonly Refusable[]) =>
    answers.filter((answer) => {
      if (answer.status !== 200) refusedWith(answer, "BAD_REQUEST");
      return answer.status === 200;
    }).length;
  const stored = () => db.prisma.customProfileField.findMany({ where: { realmId: org.realm.id } });
  const values = (fieldId: number) =>
    db.prisma.customProfileFieldValue.findMany({ where: { fieldId } });
  const dropdown = () =>
    profileField(db, org.realm, {
      fieldType: 3,
      fieldData: '{"a":{"text":"a","order":"1"},"b":{"text":"b","order":"2"}}',
    });
  const withoutA = { field_data: { b: { text: "b", order: "2" } } };

  it("give a name to one of several requests, and each field its own place", async () => {
    for (let round = 0; round < rounds; round++) {
      const name = unique("field");
      const other = await profileField(db, org.realm, { order: -1 - round });
      const answers = await Promise.all([
        create(0, { name }),
        create(1, { name: ` ${name} ` }),
        change(0, other.id, { name }),
        create(1, {}),
      ]);
      expect(succeeded(answers)).to.equal(2);
    }
    const orders = (await stored()).map(({ order }) => order);
    expect(new Set(orders)).to.have.lengthOf(orders.length);
  });

  it("never exceed two fields in the summary or the organization's limit", async () => {
    const there = await profileField(db, org.realm);
    const summary = { display_in_profile_summary: true };
    const first = await Promise.all([
      change(0, there.id, summary),
      ...[1, 2, 3].map((i) => create(i, summary)),
    ]);
    expect(succeeded(first)).to.equal(2);
    const more = maxProfileFields - (await stored()).length - 1;
    await Promise.all(Array.from({ length: more }, () => profileField(db, org.realm)));
    expect(succeeded(await Promise.all([0, 1, 2].map((i) => create(i, {}))))).to.equal(1);
  });

  it("have values of existing fields and choices only, whichever request is first", async () => {
    for (let round = 0; round < rounds; round++) {
      const [gone, choices] = [await profileField(db, org.realm), await dropdown()];
      const answers = await Promise.all([
        say(round, gone.id, "x"),
        say(round + 1, choices.id, "a", org.guest),
        as(round, org.owner).call(updateUser, {
          path: { user_id: org.moderator.id },
          params: { profile_data: [{ id: choices.id, value: "a" }] },
        }),
        remove(round + 1, gone.id),
        change(round, choices.id, withoutA),
      ]);
      succeeded(answers);
      expect(answers.slice(3).map(({ status }) => status)).to.deep.equal([200, 200]);
      expect(await values(gone.id)).to.deep.equal([]);
      expect(await values(choices.id)).to.deep.equal([]);
    }
  });

  it("make writers of values wait, and refuse values of fields and choices deleted meanwhile", async () => {
    const [gone, choices] = [await profileField(db, org.realm), await dropdown()];
    let answers: Promise<Refusable[]> | undefined;
    await db.transaction(async (tx) => {
      await tx.rows("SELECT FROM realms WHERE id = $1 FOR NO KEY UPDATE", [org.realm.id]);
      answers = Promise.all([
        say(0, gone.id, "x"),
        say(1, choices.id, "a", org.guest),
        as(0).call(updateUser, {
          path: { user_id: org.moderator.id },
          params: { profile_data: [{ id: gone.id, value: "x" }] },
        }),
      ]);
      await waitFor(async () => (await countWaiting(db.pool)) === 3, {
        what: "the values wait for the organization",
      });
      await tx.rows("DELETE FROM custom_profile_fields WHERE id = $1", [gone.id]);
      const fieldData = JSON.stringify(withoutA.field_data);
      await tx.rows("UPDATE custom_profile_fields SET field_data = $2 WHERE id = $1", [
        choices.id,
        fieldData,
      ]);
    });
    for (const answer of (await answers) ?? []) refusedWith(answer, "BAD_REQUEST");
  });

  it("hold no deactivated person as a new value", async () => {
    const { id } = await profileField(db, org.realm, { fieldType: 6 });
    for (let round = 0; round < rounds; round++) {
      const leaver = await user(db, org.realm);
      const seen = await eventsOf(db, org.realm.id, () =>
        Promise.all([
          say(round, id, [leaver.id]),
          as(round + 1).call(deactivateUser, { path: { user_id: leaver.id } }),
        ]),
      );
      const [answer, deactivated] = seen.result;
      expect(deactivated.status).to.equal(200);
      const people = seen.events
        .filter(({ type }) => type === "realm_user")
        .map(({ payload }) => payload["person"] as object);
      const named = people.findIndex((person) => "custom_profile_field" in person);
      const left = people.findIndex((person) => "is_active" in person);
      if (answer.status === 200) expect(named).to.be.within(0, left - 1);
      else refusedWith(answer, "BAD_REQUEST");
      await say(0, id, null);
    }
  });

  it("send one event for several identical requests", async () => {
    const { id } = await profileField(db, org.realm);
    const { result, events } = await eventsOf(db, org.realm.id, () =>
      Promise.all([0, 1, 2, 3].map((i) => say(i, id, "x"))),
    );
    expect(succeeded(result)).to.equal(4);
    expect(events).to.have.lengthOf(1);
    const changed = await eventsOf(db, org.realm.id, () =>
      Promise.all([0, 1, 2].map((i) => change(i, id, { required: true }))),
    );
    expect([succeeded(changed.result), changed.events.length]).to.deep.equal([3, 1]);
    const removed = await eventsOf(db, org.realm.id, () =>
      Promise.all([0, 1, 2].map((i) => remove(i, id))),
    );
    expect([succeeded(removed.result), removed.events.length]).to.deep.equal([1, 1]);
  });

  const losses: ReadonlyArray<[what: string, row: object, status: number, code: string]> = [
    ["their role", { role: roles.member }, 400, "UNAUTHORIZED_PRINCIPAL"],
    ["their account", { isActive: false }, 401, "UNAUTHORIZED"],
  ];
  for (const [what, row, status, code] of losses)
    it(`refuse an administrator who has lost ${what} meanwhile`, async () => {
      const by = await user(db, org.realm, { role: roles.administrator });
      const { id } = await profileField(db, org.realm);
      let answers: Promise<Refusable[]> | undefined;
      await db.transaction(async (tx) => {
        await lockGroupGraph(tx, org.realm.id);
        answers = Promise.all([
          create(0, {}, by),
          change(1, id, { hint: "new" }, by),
          as(0, by).call(deleteProfileField, { path: { field_id: id } }),
          as(1, by).call(reorderProfileFields, { params: { order: [id] } }),
        ]);
        await waitFor(async () => (await countWaiting(db.pool)) === 4, {
          what: "the requests wait for the change of the account",
        });
        await (await tx.prisma()).user.update({ where: { id: by.id }, data: row });
      });
      for (const answer of (await answers) ?? []) refusedWith(answer, code, {}, status);
      expect(await stored()).to.have.lengthOf(1);
    });

  it("refuse a value that only administrators may edit if the caller has just lost the role", async () => {
    const by = await user(db, org.realm, { role: roles.administrator });
    const { id } = await profileField(db, org.realm, { editableByUser: false });
    let answer: Promise<Refusable> | undefined;
    await db.transaction(async (tx) => {
      await lockGroupGraph(tx, org.realm.id);
      answer = say(0, id, "x", by);
      await waitFor(async () => (await countWaiting(db.pool)) === 1, {
        what: "the value waits for the change of the account",
      });
      await (await tx.prisma()).user.update({ where: { id: by.id }, data: { role: roles.member } });
    });
    refusedWith((await answer)!, "BAD_REQUEST");
    expect(await values(id)).to.deep.equal([]);
  });
});
