import { clientCapabilities, deliveredFaults } from "@carillon/contract";
import {
  channel,
  channelMessage,
  deliverNow,
  directMessage,
  kindsOf,
  schedule,
  scheduledMessagesPath,
  send,
  succeeded,
  type TestAccount,
  toChannel,
  toUsers,
  useScene,
  watch,
} from "@carillon/testkit";
import { expect } from "chai";

const capabilities = Object.fromEntries(clientCapabilities.map((name) => [name, true]));

// events.md §4: events have only the fields of the catalogue, for all accounts and capabilities.
describe("Fields of events", () => {
  const scene = useScene();

  it("are those of the catalogue for the events of all operations", async () => {
    const { db, gateway, org } = scene;
    const { owner, admin, member, guest, bot } = org;
    await db.rows("UPDATE users SET can_create_users = true WHERE id = $1", [owner.id]);
    const room = await channel(db, org.realm, { subscribers: [owner, member, guest] });
    const as = (account: TestAccount) => scene.as(account);
    const post = async (account: TestAccount, to: string, params = {}) =>
      succeeded(await as(account).post(`/api/v1/${to}`, params));
    const modern = { client_capabilities: capabilities, slim_presence: true, apply_markdown: true };

    const received = await watch(
      gateway,
      {
        owner: { account: owner, params: modern },
        "old owner": { account: owner },
        admin: { account: admin, params: { ...modern, all_public_streams: true } },
        member: { account: member, params: modern },
        "old member": { account: member, params: { client_gravatar: false } },
        guest: { account: guest, params: modern },
        "old guest": { account: guest },
        bot: { account: bot },
      },
      async () => {
        await post(owner, "channels/create", {
          name: "Public",
          subscribers: [member.id, guest.id],
          is_default_stream: true,
        });
        const subscriptions = [{ name: "Private" }];
        const principals = [member.id, owner.id];
        await post(owner, "users/me/subscriptions", {
          subscriptions,
          principals,
          invite_only: true,
        });
        const gone = { subscriptions: ["Private"], principals: [member.id] };
        succeeded(await as(owner).delete("/api/v1/users/me/subscriptions", gone));
        await post(member, "users/me/subscriptions/properties", {
          subscription_data: [
            { stream_id: room.id, property: "is_muted", value: true },
            { stream_id: room.id, property: "color", value: "#123456" },
          ],
        });
        const email = "newcomer@fields.test";
        await post(owner, "users", { email, password: "correct horse", full_name: "Newcomer" });
        await send(as(member), toChannel(room.id, { content: "@**all** hello" }));
        await send(as(member), toUsers([guest.id]));
        await post(member, "typing", { op: "start", to: [guest.id] });
        await post(member, "typing", {
          op: "stop",
          type: "channel",
          stream_id: room.id,
          topic: "lunch",
        });
        await post(member, "users/me/presence", { status: "active" });
        await post(member, "users/me/status", { status_text: "away", emoji_name: "smile" });
        await post(member, `users/me/muted_users/${guest.id}`);
        await post(member, "user_topics", {
          stream_id: room.id,
          topic: "quiet",
          visibility_policy: 1,
        });
        const own = {
          full_name: "Somebody Else",
          timezone: "Europe/Berlin",
          default_language: "de",
          twenty_four_hour_time: true,
          email_address_visibility: 3,
        };
        succeeded(await as(member).patch("/api/v1/settings", own));
        const first = await schedule(as(member), channelMessage(room.id));
        succeeded(
          await as(member).patch(`${scheduledMessagesPath}/${first}`, { content: "later" }),
        );
        await deliverNow(db, org.realm, [first]);
        const second = await schedule(as(member), directMessage([guest.id]));
        succeeded(await as(member).delete(`${scheduledMessagesPath}/${second}`));
        const { group_id } = await post(owner, "user_groups/create", {
          name: "Cooks",
          description: "",
          members: [member.id],
        });
        await post(owner, `user_groups/${String(group_id)}/members`, {
          add: [guest.id],
          delete: [member.id],
        });
        const sub = [org.groups["role:moderators"]];
        await post(owner, `user_groups/${String(group_id)}/subgroups`, { add: sub });
        await post(owner, `user_groups/${String(group_id)}/subgroups`, { delete: sub });
        const renamed = { name: "Bakers", description: "of bread" };
        succeeded(await as(owner).patch(`/api/v1/user_groups/${String(group_id)}`, renamed));
        await post(owner, `user_groups/${String(group_id)}/deactivate`);
        const again = { deactivated: false };
        succeeded(await as(owner).patch(`/api/v1/user_groups/${String(group_id)}`, again));
      },
    );

    const everything = Object.entries(received).flatMap(([who, events]) =>
      events.flatMap((event) => deliveredFaults(event).map((fault) => `${who}: ${fault}`)),
    );
    expect([...new Set(everything)]).to.deep.equal([]);
    const seen = new Set(Object.values(received).flatMap((events) => kindsOf(events)));
    expect([...seen].toSorted()).to.deep.equal([
      "default_streams",
      "message",
      "muted_users",
      "presence",
      "realm_user/add",
      "realm_user/update",
      "scheduled_messages/add",
      "scheduled_messages/remove",
      "scheduled_messages/update",
      "stream/create",
      "stream/delete",
      "subscription/add",
      "subscription/peer_add",
      "subscription/peer_remove",
      "subscription/remove",
      "subscription/update",
      "typing/start",
      "typing/stop",
      "user_group/add",
      "user_group/add_members",
      "user_group/add_subgroups",
      "user_group/remove",
      "user_group/remove_members",
      "user_group/remove_subgroups",
      "user_group/update",
      "user_settings/update",
      "user_status",
      "user_topic",
    ]);
    for (const events of Object.values(received)) {
      const ids = events.map(({ id }) => id);
      expect(ids).to.deep.equal([...new Set(ids)].toSorted((a, b) => a - b));
    }
    expect(kindsOf(received.guest)).to.include.members(["realm_user/add", "user_group/add"]);
    expect(kindsOf(received.guest)).not.to.include("default_streams");
    for (const event of received.guest.filter(({ type }) => type === "presence"))
      expect(event).to.have.all.keys("id", "type", "presences");
  });
});
