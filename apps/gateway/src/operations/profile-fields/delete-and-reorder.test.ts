import {
  deleteProfileField,
  listProfileFields,
  maxProfileFields,
  reorderProfileFields,
} from "@carillon/contract";
import {
  announced,
  countQueries,
  crowd,
  eventsOf,
  organization,
  profileField,
  refused,
  refusedAlike,
  type TestAccount,
  type TestOrganization,
  useDatabase,
  useGateway,
} from "@carillon/testkit";
import { expect } from "chai";

describe("Custom profile fields", () => {
  const db = useDatabase();
  const gateway = useGateway(db);
  let org: TestOrganization;
  let ids: number[];
  beforeEach(async () => {
    org = await organization(db);
    ids = [];
    for (let i = 0; i < 3; i++) ids.push((await profileField(db, org.realm)).id);
  });

  const all = async () => (await gateway.as(org.guest).succeed(listProfileFields)).custom_fields;
  const received = async (work: () => Promise<{ body: object }>) => {
    const { result, events } = await eventsOf(db, org.realm.id, work);
    expect(result.body).to.deep.equal({ result: "success", msg: "" });
    return announced(events);
  };
  const event = async () => [
    { type: "custom_profile_fields", op: null, audience: null, payload: { fields: await all() } },
  ];

  describe("DELETE /realm/profile_fields/{field_id}", () => {
    const remove = (id: number, by: TestAccount = org.admin) =>
      gateway.as(by).call(deleteProfileField, { path: { field_id: id } });

    it("deletes the field and all its values, with one event for all accounts", async () => {
      const [first, second, third] = ids as [number, number, number];
      for (const fieldId of [first, second])
        for (const { id: userId } of [org.member, org.guest])
          await db.prisma.customProfileFieldValue.create({ data: { userId, fieldId, value: "x" } });
      expect(await received(() => remove(first))).to.deep.equal(await event());
      expect((await all()).map(({ id, order }) => [id, order])).to.deep.equal([
        [second, 1],
        [third, 2],
      ]);
      const left = await db.prisma.customProfileFieldValue.findMany();
      expect(left.map(({ fieldId }) => fieldId)).to.deep.equal([second, second]);
      await refused(db, () => remove(first));
    });

    it("runs the same number of statements for any number of values", async () => {
      const [first, second] = ids as [number, number, number];
      const people = await crowd(db, org.member, 200);
      await db.prisma.customProfileFieldValue.createMany({
        data: people.map(({ id: userId }) => ({ userId, fieldId: second, value: "x" })),
      });
      const count = async (id: number) => (await countQueries(db, () => remove(id))).count;
      expect(await count(first)).to.equal(await count(second));
    });

    it("refuses all callers but administrators, and unknown fields", async () => {
      const [first] = ids as [number, number, number];
      for (const by of [org.moderator, org.member, org.guest, org.bot])
        await refused(db, () => remove(first, by), "UNAUTHORIZED_PRINCIPAL");
      const there = await profileField(db, (await organization(db)).realm);
      await refusedAlike(db, [there.id, 0, 10 ** 15], (id) => remove(id));
    });
  });

  describe("PATCH /realm/profile_fields", () => {
    const reorder = (order: unknown, by: TestAccount = org.admin) =>
      gateway.as(by).call(reorderProfileFields, { params: { order } });
    const orders = async () => (await all()).map(({ id, order }) => [id, order]);

    it("sets the order of the fields and sends it once to all accounts", async () => {
      const [first, second, third] = ids as [number, number, number];
      expect(await received(() => reorder([third, first, second]))).to.deep.equal(await event());
      expect(await orders()).to.deep.equal([
        [third, 0],
        [first, 1],
        [second, 2],
      ]);
      expect(await received(() => reorder([third, first, second]))).to.deep.equal([]);
    });

    it("ignores IDs that are not fields of the organization", async () => {
      const [first, second, third] = ids as [number, number, number];
      const there = await profileField(db, (await organization(db)).realm);
      await received(() => reorder([0, third, there.id, 10 ** 15, second, -1, first]));
      expect(await orders()).to.deep.equal([
        [third, 0],
        [second, 1],
        [first, 2],
      ]);
      expect(await db.prisma.customProfileField.findFirst({ where: { id: there.id } })).to.include({
        order: 0,
      });
    });

    it("refuses lists with missing or repeated fields, and values that are not lists", async () => {
      const [first, second, third] = ids as [number, number, number];
      for (const order of [[], [first, second], [first, second, third, first]])
        await refused(db, () => reorder(order), "BAD_REQUEST");
      for (const order of ["", "1", "{}", "null", [`${first}`, second, third], "[1.0]"])
        await refused(db, () => reorder(order), "BAD_REQUEST");
      const long = Array.from({ length: maxProfileFields + 1 }, (_, i) => i);
      await refused(db, () => reorder(long), "BAD_REQUEST");
      await refused(db, () => reorder(undefined), "REQUEST_VARIABLE_MISSING", {
        var_name: "order",
      });
      for (const by of [org.moderator, org.member, org.guest, org.bot])
        await refused(db, () => reorder(ids, by), "UNAUTHORIZED_PRINCIPAL");
    });
  });
});
