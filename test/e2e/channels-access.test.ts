import {
  channelReadable,
  hasContentAccess,
  hasMetadataAccess,
  loadAccounts,
  loadChannels,
  loadContentAudiences,
  loadMemberships,
  loadMetadataAudience,
  loadMetadataAudiences,
  loadSubscribedChannels,
  canAdminister,
  messageReadable,
  SqlValues,
  type Fragment,
} from "@carillon/model";
import { useScene } from "@carillon/testkit";

import { agree, differing, meetings, type Meeting } from "./support/channel-access/comparing.ts";
import {
  administers,
  readsContent,
  readsInHistory,
  seesMetadata,
  sent,
} from "./support/channel-access/rules.ts";
import { makeWorld, type World } from "./support/channel-access/world.ts";

// channels.md §3: the rules exist for one account and channel, as SQL conditions, and as lists of receivers.
describe("The access rules in TypeScript and in SQL agree", function () {
  const scene = useScene();
  let world: World;
  let everywhere: readonly Meeting[];
  let ids: readonly number[];

  before("make the world", async () => {
    world = await makeWorld(scene);
    everywhere = meetings(world, world.places);
    ids = world.places.map(({ channel }) => channel.id);
  });

  const idOf = ({ name }: Pick<Meeting, "name">) => world.accounts[name]?.id ?? 0;

  it("for one account and one channel", async () => {
    const { db, org } = scene;
    const users = Object.values(world.accounts).map(({ id }) => id);
    const [accounts, channels, memberships, subscribed] = await Promise.all([
      loadAccounts(db, org.realm.id, users),
      loadChannels(db, org.realm.id, ids),
      loadMemberships(db, users),
      loadSubscribedChannels(db, users),
    ]);
    const levels = async (meeting: Meeting) => {
      const account = accounts.get(idOf(meeting));
      const channel = channels.get(meeting.place.channel.id);
      if (!account || !channel) throw new Error("not loaded");
      const isSubscribed = subscribed(account.id, channel.id);
      return {
        content: hasContentAccess(account, channel, memberships, isSubscribed),
        metadata: hasMetadataAccess(account, channel, memberships, isSubscribed),
        administer: canAdminister(account, channel, memberships),
      };
    };
    const right = (facts: Meeting["facts"]) => ({
      content: readsContent(facts),
      metadata: seesMetadata(facts),
      administer: administers(facts),
    });
    agree(await differing(everywhere, right, levels));
  });

  /** The IDs that a statement with the condition returns for each account. */
  async function foundBy(
    table: string,
    key: string,
    condition: (viewer: { id: number; realmId: number; role: number }) => Fragment,
  ): Promise<(meeting: Meeting) => ReadonlySet<number>> {
    const found = new Map<string, ReadonlySet<number>>();
    for (const [name, account] of Object.entries(world.accounts)) {
      const values = new SqlValues();
      const rows = await scene.db.rows<{ id: number }>(
        `SELECT ${key} AS id FROM ${table} WHERE ${condition(account)(values)}`,
        values.list,
      );
      found.set(name, new Set(rows.map(({ id }) => id)));
    }
    return ({ name }) => found.get(name) ?? new Set();
  }

  it("as a condition on channels", async () => {
    const readable = await foundBy("channels c", "c.id", channelReadable);
    const found = async (meeting: Meeting) => readable(meeting).has(meeting.place.channel.id);
    agree(await differing(everywhere, readsContent, found));
  });

  it("as a condition on received messages", async () => {
    const readable = await foundBy("messages m", "m.id", (viewer) => (values) => {
      const me = values.add(viewer.id, "int");
      return `(${messageReadable(viewer)(values)}) AND EXISTS (
        SELECT FROM user_messages um WHERE um.user_id = ${me} AND um.message_id = m.id)`;
    });
    const found = async (meeting: Meeting) =>
      sent.filter((one) => readable(meeting).has(meeting.place.messages[one]));
    agree(await differing(everywhere, (facts) => [...readsInHistory(facts)], found));
  });

  it("as lists of active receivers", async () => {
    const { db, org } = scene;
    const seeing = await loadMetadataAudiences(db, org.realm.id, ids);
    const sees = async (meeting: Meeting) =>
      seeing.get(meeting.place.channel.id)?.has(idOf(meeting)) ?? false;
    agree(await differing(everywhere, seesMetadata, sees));
    const texts = new Map<number, string>();
    for (const id of ids) texts.set(id, await loadMetadataAudience(db, org.realm.id, id));
    const isListed = async (meeting: Meeting) =>
      texts
        .get(meeting.place.channel.id)
        ?.slice(1, -1)
        .split(",")
        .includes(String(idOf(meeting))) ?? false;
    agree(await differing(everywhere, seesMetadata, isListed));
    const reading = await loadContentAudiences(db, org.realm.id, ids);
    const reads = async (meeting: Meeting) =>
      reading.get(meeting.place.channel.id)?.includes(idOf(meeting)) ?? true;
    agree(await differing(everywhere, readsContent, reads));
  });
});
