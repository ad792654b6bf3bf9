import {
  createChannelFolder,
  reorderChannelFolders,
  updateChannelFolder,
} from "@carillon/contract";
import {
  channelFolder,
  kindsOf,
  organization,
  roles,
  unique,
  user,
  useScene,
  watch,
} from "@carillon/testkit";
import { expect } from "chai";

// events.md §4, as it leaves GET /events.
describe("Events of channel folders", () => {
  const scene = useScene();

  it("are sent to all accounts of the organization, including guests and bots, and to no other organization", async () => {
    const { db, org } = scene;
    const { owner, admin, moderator, member, guest, bot } = org;
    // Has no subscriptions.
    const stranger = await user(db, org.realm, { role: roles.guest });
    const other = await organization(db);
    const params = { event_types: ["channel_folder"] };
    const all = { owner, admin, moderator, member, guest, bot, stranger };
    const foreign = { otherOwner: other.owner, otherGuest: other.guest, otherBot: other.bot };
    const queues = Object.fromEntries(
      Object.entries({ ...all, ...foreign }).map(([who, account]) => [who, { account, params }]),
    );
    const { id } = await channelFolder(db, org.realm);
    await channelFolder(db, other.realm);
    const name = unique("Folder");
    let made = 0;
    const received = await watch(scene.gateway, queues, async () => {
      const client = scene.as(admin);
      const created = { params: { name, description: "" } };
      made = (await client.succeed(createChannelFolder, created)).channel_folder_id;
      const path = { channel_folder_id: id };
      await client.succeed(updateChannelFolder, { path, params: { is_archived: true } });
      await client.succeed(reorderChannelFolders, { params: { order: [made, id] } });
    });

    const [added, updated, reordered] = received["admin"] ?? [];
    expect(added).to.have.nested.property("channel_folder.id", made);
    expect(updated).to.deep.include({ channel_folder_id: id, data: { is_archived: true } });
    expect(reordered).to.deep.include({ order: [made, id] });
    const kinds = ["channel_folder/add", "channel_folder/update", "channel_folder/reorder"];
    for (const who of Object.keys(all)) {
      expect(kindsOf(received[who] ?? []), who).to.deep.equal(kinds);
      const withoutId = (event: { readonly id: number }) => ({ ...event, id: 0 });
      expect(received[who]?.map(withoutId), who).to.deep.equal(received["admin"]?.map(withoutId));
    }
    for (const who of Object.keys(foreign)) expect(received[who], who).to.deep.equal([]);
  });
});
