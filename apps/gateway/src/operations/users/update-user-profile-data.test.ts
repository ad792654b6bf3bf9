import { useScene, userChanging, type TestOrganization } from "@carillon/testkit";

describe("PATCH /users/{user_id}: profile_data", () => {
  const scene = useScene();
  const { change, refuses } = userChanging(scene);
  let org: TestOrganization;
  before(() => {
    org = scene.org;
  });

  it("may be empty, and names no field that exists, also to remove its value", async () => {
    await change(org.admin, org.member, { profile_data: [] });
    for (const value of ["text", null, "", [], [3]])
      await refuses(org.admin, org.member.id, {
        full_name: "Not Changed",
        profile_data: [{ id: 1, value }],
      });
  });

  it("is not for bots", () =>
    refuses(org.admin, org.bot.id, { profile_data: [{ id: 1, value: null }] }));

  for (const value of [{}, [1], [{ id: 1 }], [{ value: "" }], [{ id: "1", value: "" }], "x"])
    it(`is not ${JSON.stringify(value)}`, () =>
      refuses(org.owner, org.member.id, { profile_data: value }));
  it("has no numbers as values", () =>
    refuses(org.owner, org.member.id, { profile_data: [{ id: 1, value: 5 }] }));
});
