import {
  createProfileField,
  deleteProfileField,
  reorderProfileFields,
  updateOwnProfile,
  updateProfileField,
} from "@carillon/contract";
import {
  kindsOf,
  organization,
  profileField,
  roles,
  unique,
  user,
  useScene,
  watch,
} from "@carillon/testkit";
import { expect } from "chai";

// events.md §4, as it leaves GET /events.
describe("Events of custom profile fields", () => {
  const scene = useScene();

  it("are sent to all accounts of the organization, including guests and bots, and to no other organization", async () => {
    const { db, org } = scene;
    const { owner, admin, moderator, member, guest, bot } = org;
    // Has no subscriptions.
    const stranger = await user(db, org.realm, { role: roles.guest });
    const other = await organization(db);
    const params = { event_types: ["custom_profile_fields", "realm_user"] };
    const all = { owner, admin, moderator, member, guest, bot, stranger };
    const foreign = { otherOwner: other.owner, otherGuest: other.guest, otherBot: other.bot };
    const queues = Object.fromEntries(
      Object.entries({ ...all, ...foreign }).map(([who, account]) => [who, { account, params }]),
    );
    const { id } = await profileField(db, org.realm);
    await profileField(db, other.realm);
    const received = await watch(scene.gateway, queues, async () => {
      const client = scene.as(admin);
      const wanted = { params: { field_type: 4, name: unique("day") } };
      const made = (await client.succeed(createProfileField, wanted)).id;
      const path = { field_id: id };
      await client.succeed(updateProfileField, { path, params: { required: true } });
      await client.succeed(reorderProfileFields, { params: { order: [made, id] } });
      const data = [{ id, value: "*x*" }];
      await scene.as(member).succeed(updateOwnProfile, { params: { data } });
      await client.succeed(deleteProfileField, { path });
    });

    const fields = "custom_profile_fields";
    const [, , , said, last] = received["admin"] ?? [];
    expect(said).to.deep.include({
      person: {
        user_id: member.id,
        custom_profile_field: { id, value: "*x*", rendered_value: "<p><em>x</em></p>" },
      },
    });
    expect(last).to.have.nested.property("fields.length", 1);
    for (const who of Object.keys(all)) {
      const kinds = [fields, fields, fields, "realm_user/update", fields];
      expect(kindsOf(received[who] ?? []), who).to.deep.equal(kinds);
      const withoutId = (event: { readonly id: number }) => ({ ...event, id: 0 });
      expect(received[who]?.map(withoutId), who).to.deep.equal(received["admin"]?.map(withoutId));
    }
    for (const who of Object.keys(foreign)) expect(received[who], who).to.deep.equal([]);
  });
});
