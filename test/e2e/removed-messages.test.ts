import {
  archiveChannel,
  deleteTopic,
  removeSubscriptions,
  updateChannel,
} from "@carillon/contract";
import { sweepRetention } from "@carillon/domain";
import { silentLogger } from "@carillon/kit";
import {
  channel,
  pastMessages,
  send,
  toChannel,
  useScene,
  type TestAccount,
  type TestChannel,
} from "@carillon/testkit";
import { expect } from "chai";

import { chance } from "../faults/support/chance.ts";
import { differencesFrom } from "./support/client-model-compare.ts";
import { QueueClient } from "./support/queue-client.ts";
import { removedMessages } from "./support/removed-messages.ts";

// events.md §5, including messages that the client cannot see when they are deleted.
describe("Deletions of messages that a client cannot see", () => {
  const scene = useScene();
  const { db } = scene;
  const nothing: ReadonlySet<number> = new Set();

  const registered = async (account: TestAccount, more: readonly string[] = []) => {
    const able = ["notification_settings_null", "bulk_message_deletion", ...more];
    const client_capabilities = Object.fromEntries(able.map((name) => [name, true]));
    const options = { client_capabilities, include_subscribers: true };
    const client = await QueueClient.register(account, [scene.gateway], chance(1), options);
    if (!client) throw new Error("the account is deactivated");
    return client;
  };
  const at = (room: TestChannel) => ({ path: { stream_id: room.id } });
  /** @param removed the expected deletions, as far as the client can know */
  const differences = async (client: QueueClient, removed: ReadonlySet<number> = nothing) => {
    await client.drain();
    const fresh = await client.freshSnapshot();
    return differencesFrom(fresh, client.model, client.first, {
      untold: nothing,
      removed,
      moved: nothing,
    });
  };

  it("are sent as delete_message to clients without the archived channel of the messages", async () => {
    const { owner, member } = scene.org;
    const room = await channel(db, owner, {
      subscribers: [owner, member],
      row: { messageRetentionDays: 3 },
    });
    const ids = await pastMessages(db, room, owner, { count: 2, daysAgo: 9 });
    await db.rows(
      "UPDATE user_messages SET flags = flags | 2 WHERE user_id = $1 AND message_id = $2",
      [member.id, ids[0]],
    );
    const client = await registered(member);
    expect(client.model.state.starred_messages).to.deep.equal([ids[0]]);
    await scene.as(owner).succeed(archiveChannel, at(room));
    expect(await differences(client)).to.deep.equal([]);

    await sweepRetention({ db, log: silentLogger, signal: new AbortController().signal });
    expect(await differences(client), "still archived").to.deep.equal([]);
    expect([...client.model.deleted]).to.deep.equal(ids);
    expect(client.model.state.starred_messages).to.deep.equal([]);

    const params = { is_archived: false };
    await scene.as(owner).succeed(updateChannel, { ...at(room), params });
    expect(await differences(client), "back").to.deep.equal([]);
  });

  it("keep max_message_id if the channel is lost, and a later snapshot has a lower one", async () => {
    const { owner, member } = scene.org;
    const room = await channel(db, owner, {
      inviteOnly: true,
      historyPublicToSubscribers: true,
      subscribers: [owner, member],
    });
    const client = await registered(member);
    const newest = await send(scene.as(owner), toChannel(room.id, { topic: "lunch" }));
    await scene.as(member).succeed(removeSubscriptions, {
      params: { subscriptions: [room.name] },
    });
    expect(await differences(client)).to.deep.equal([]);

    const params = { topic_name: "lunch" };
    await scene.as(owner).succeed(deleteTopic, { ...at(room), params });
    const removed = await removedMessages(db, scene.org.realm.id);
    expect(removed.has(newest)).to.equal(true);
    expect(await differences(client, removed)).to.deep.equal([]);
    expect(client.model.deleted.has(newest), "told").to.equal(false);
    expect(client.model.state.max_message_id).to.equal(newest);
    const fresh = await client.freshSnapshot();
    expect(fresh["max_message_id"]).to.be.lessThan(newest);
    expect(await differences(client), "of a message that is there").to.deep.equal([
      `/max_message_id: ${newest} instead of ${String(fresh["max_message_id"])}`,
    ]);
  });
});
