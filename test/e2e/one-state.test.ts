import {
  channelPermissions,
  groupPermissions,
  type GroupSettingValue,
  type Permission,
  realmPermissions,
  updateUserGroup,
} from "@carillon/contract";
import type { Sql, Statement } from "@carillon/db";
import { checkMessages } from "@carillon/domain";
import {
  type MessageInput,
  type PermissionScope,
  scopes,
  storeChangedGroupSettings,
} from "@carillon/model";
import {
  bot,
  channel,
  channelMessage,
  deactivateUser,
  deliverNow,
  inSeconds,
  schedule,
  scheduledOf,
  send,
  storedRow,
  type TestAccount,
  testSite,
  toChannel,
  user,
  userGroup,
  useScene,
} from "@carillon/testkit";
import { expect } from "chai";

/** Changes the organization from one of two states to the other. */
type Change = () => Promise<void>;

// docs/decisions/012: all reads of one check see one snapshot of the data.
describe("The check of a message while a permission alternates between two values that allow the sender", () => {
  const scene = useScene();
  let sender: TestAccount;

  beforeEach(async () => {
    sender = await user(scene.db, scene.org.realm);
  });

  /** Two forms of "the sender and others": a named group and an anonymous group. */
  const forms = (): readonly [GroupSettingValue, GroupSettingValue] => [
    scene.org.groups["role:everyone"],
    { direct_members: [sender.id], direct_subgroups: [] },
  ];

  const setting =
    (scope: PermissionScope, id: number, permission: Permission): Change =>
    () =>
      scene.db.transaction(async (tx) => {
        const [row = { group: 0 }] = await tx.rows<{ group: number }>(
          `SELECT ${permission.name}_id AS "group" FROM ${scopes[scope].table} WHERE id = $1`,
          [id],
        );
        const { group } = row;
        const [named, set] = forms();
        const value = group === named ? set : named;
        const changes = [{ permission, group, value }];
        await storeChangedGroupSettings(tx, scene.org.realm.id, { scope, id }, changes);
      });

  /** Changes the state before each statement, also before concurrent ones. */
  function changing(sql: Sql, change: Change): { sql: Sql; statements: () => number } {
    let turn: Promise<unknown> = Promise.resolve();
    let statements = 0;
    const rows = <Row>(asked: Statement<Row>, values?: readonly unknown[]): Promise<Row[]> => {
      statements++;
      const answer = turn.then(change).then(() => sql.rows(asked, values));
      turn = answer.catch(() => {});
      return answer;
    };
    return { sql: { rows }, statements: () => statements };
  }

  /** Expects that the input is accepted from either state, whatever changes in between. */
  async function neverRefused(input: Partial<MessageInput>, change: Change): Promise<void> {
    const { id } = await channel(scene.db, scene.org.realm);
    const whole: MessageInput = {
      senderId: sender.id,
      destination: { kind: "channel", channelId: id },
      topic: "lunch",
      content: "hello",
      ...input,
    };
    for (let start = 0; start < 2; start++) {
      await scene.db.transaction(async (tx) => {
        const { sql, statements } = changing(tx, change);
        const { results } = await checkMessages(sql, testSite(), scene.org.realm.id, [whole]);
        expect(results[0]).not.to.be.instanceOf(Error);
        expect(statements()).to.equal(1);
      });
      await change();
    }
  }

  it("reads one value of a mentioned group's setting", async () => {
    const group = await userGroup(scene.db, scene.org.realm);
    await neverRefused(
      { content: `@*${group.name}*` },
      setting("group", group.id, groupPermissions.canMentionGroup),
    );
  });

  it("reads one value of each setting of the organization", async () => {
    const { id } = scene.org.realm;
    const other = { kind: "direct", userIds: [scene.org.admin.id] } as const;
    const { directMessagePermissionGroup, directMessageInitiatorGroup } = realmPermissions;
    for (const permission of [directMessagePermissionGroup, directMessageInitiatorGroup])
      await neverRefused({ destination: other }, setting("realm", id, permission));
    const crowd = [];
    for (let n = 0; n < 16; n++) crowd.push(await user(scene.db, scene.org.realm));
    const room = await channel(scene.db, scene.org.realm, { subscribers: crowd });
    await neverRefused(
      { destination: { kind: "channel", channelId: room.id }, content: "@**all**" },
      setting("realm", id, realmPermissions.canMentionManyUsersGroup),
    );
  });

  it("reads one value of each setting of the channel, also for bots through their owner", async () => {
    const own = await bot(scene.db, sender);
    const { canSendMessageGroup, canCreateTopicGroup } = channelPermissions;
    for (const senderId of [sender.id, own.id])
      for (const permission of [canSendMessageGroup, canCreateTopicGroup]) {
        const room = await channel(scene.db, scene.org.realm);
        await neverRefused(
          { senderId, destination: { kind: "channel", channelId: room.id } },
          setting("channel", room.id, permission),
        );
      }
  });

  it("reads the channel's privacy together with its subscribers", async () => {
    const room = await channel(scene.db, scene.org.realm, { historyPublicToSubscribers: true });
    const change: Change = async () => {
      await scene.db.transaction(async (tx) => {
        const [row = { closed: false }] = await tx.rows<{ closed: boolean }>(
          `UPDATE channels SET invite_only = NOT invite_only WHERE id = $1 RETURNING invite_only AS closed`,
          [room.id],
        );
        await tx.rows(
          `INSERT INTO subscriptions (channel_id, user_id, color, active) VALUES ($1, $2, '#123456', $3)
           ON CONFLICT (channel_id, user_id) DO UPDATE SET active = excluded.active`,
          [room.id, sender.id, row.closed],
        );
      });
    };
    await neverRefused({ destination: { kind: "channel", channelId: room.id } }, change);
  });

  it("reads the sender's current state, not that of the credentials", async () => {
    const room = await channel(scene.db, scene.org.realm);
    await deactivateUser(scene.db, sender);
    const input: MessageInput = {
      senderId: sender.id,
      destination: { kind: "channel", channelId: room.id },
      topic: "lunch",
      content: "hello",
    };
    const { results } = await checkMessages(scene.db, testSite(), scene.org.realm.id, [input]);
    expect(results[0]).to.include({ code: "UNAUTHORIZED" });
  });

  it("runs one statement for a batch, whatever its messages refer to", async () => {
    const group = await userGroup(scene.db, scene.org.realm);
    const rooms = [];
    for (let n = 0; n < 3; n++) rooms.push(await channel(scene.db, scene.org.realm));
    const names = rooms.map(({ name }) => `#**${name}** #**${name}>lunch**`).join(" ");
    const content = `@*${group.name}* @**${sender.fullName}** @**topic** ${names}`;
    const inputs: MessageInput[] = [
      ...rooms.map(({ id }) => ({
        senderId: sender.id,
        destination: { kind: "channel" as const, channelId: id },
        topic: "lunch",
        content,
      })),
      {
        senderId: scene.org.bot.id,
        destination: { kind: "direct", userIds: [sender.id, scene.org.guest.id] },
        topic: undefined,
        content,
      },
    ];
    const { sql, statements } = changing(scene.db, async () => {});
    const { results } = await checkMessages(sql, testSite(), scene.org.realm.id, inputs);
    for (const result of results) expect(result).not.to.be.instanceOf(Error);
    expect(statements()).to.equal(1);
  });

  it("refuses no message that is sent, scheduled or delivered meanwhile", async function () {
    const { db, org } = scene;
    const group = await userGroup(db, org.realm);
    const room = await channel(db, org.realm, { subscribers: [sender] });
    const content = `@*${group.name}*`;
    const mine = scene.as(sender);
    let done = false;
    const settings = (async () => {
      for (let n = 0; !done; n++) {
        const params = { can_mention_group: { new: forms()[(n + 1) % 2] } };
        const path = { user_group_id: group.id };
        await scene.as(org.owner).succeed(updateUserGroup, { path, params });
      }
    })();
    try {
      for (let round = 0; round < 15; round++) {
        const [, id] = await Promise.all([
          send(mine, toChannel(room.id, { content })),
          schedule(
            mine,
            channelMessage(room.id, { content, scheduled_delivery_timestamp: inSeconds(60) }),
          ),
        ]);
        await deliverNow(db, org.realm, [id]);
        expect(await storedRow(db, id)).to.include({ delivered: true, failed: false });
      }
    } finally {
      done = true;
      await settings;
    }
    expect(await scheduledOf(mine)).to.deep.equal([]);
  });
});
