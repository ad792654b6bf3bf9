import { removeUserGroup, updateNotificationSettings } from "@carillon/contract";
import { newGroup, refused, useScene, watch } from "@carillon/testkit";
import { expect } from "chai";

describe("Older spellings", () => {
  const scene = useScene();

  it("PATCH /settings/notifications changes settings and sends their events", async () => {
    const { db, gateway, org } = scene;
    const change = (params: Readonly<Record<string, unknown>>) =>
      scene.as(org.member).call(updateNotificationSettings, { params });
    const { events } = await watch(gateway, { events: { account: org.member } }, async () => {
      expect((await change({ enable_offline_email_notifications: "false" })).status).to.equal(200);
    });
    expect(events.map(({ type }) => type)).to.deep.equal(["user_settings"]);
    await refused(db, () => change({ enable_sounds: "loud" }), "BAD_REQUEST");
    await refused(db, () => scene.as(org.bot).call(updateNotificationSettings), "BAD_REQUEST");
  });

  it("DELETE /user_groups/{id} deactivates a group, as the newer operation does", async () => {
    const { db, gateway, org } = scene;
    const id = await newGroup(gateway, org.admin, { members: [org.member.id] });
    const remove = (by = org.admin) =>
      scene.as(by).call(removeUserGroup, { path: { user_group_id: id } });
    await refused(db, () => remove(org.member), "BAD_REQUEST");
    await scene.as(org.admin).succeed(removeUserGroup, { path: { user_group_id: id } });
    const row = await db.prisma.namedUserGroup.findUniqueOrThrow({ where: { id } });
    expect(row.deactivated).to.equal(true);
  });
});
