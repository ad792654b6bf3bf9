import { unqueuedIntents } from "@carillon/outbox";
import { sendNotice } from "@carillon/jobs";
import {
  bot,
  changeOrganization,
  channel,
  channelMessage,
  deliverNow,
  newGroup,
  runJob,
  schedule,
  send,
  succeeded,
  type TestAccount,
  toChannel,
  user,
  useScene,
} from "@carillon/testkit";
import { expect } from "chai";

const hostileNames = [
  "x*. **Security:** [log in again](https://evil.example) *",
  "[log in](https://evil.example)",
  "evil.example",
  "a\n\n# b\n* c",
  "`x` ```",
  "<b>x</b> &lt;",
  "@**all** :smile: $$x$$",
];

/** The tags in order, without attributes that depend on IDs and names. */
const elements = (html: string): string[] =>
  (html.match(/<[^>]*>/g) ?? []).map((tag) => tag.replaceAll(/"[^"]*"/g, '""'));

describe("Names in notices of system bots", () => {
  const scene = useScene();
  let turn = 0;

  /** All texts of the system bots about people, groups and channels with the name, by subject. */
  async function everyNotice(
    name: string,
  ): Promise<ReadonlyMap<string, { content: string; html: string }>> {
    const { db, org, gateway } = scene;
    turn++;
    const actor = org.owner;
    const received = await user(db, org.realm);
    const rename = (table: string, column: string, id: number, more = "") =>
      db.rows(`UPDATE ${table} SET ${column} = $2 WHERE id = $1`, [id, `${name} ${turn}${more}`]);
    const said = new Map<string, { content: string; html: string }>();
    const listen = async (about: string, work: () => Promise<unknown>): Promise<void> => {
      const [last] = await db.rows<{ id: number }>(
        "SELECT coalesce(max(id), 0) AS id FROM messages",
      );
      await work();
      for (const { intentId, version } of await unqueuedIntents(db, {
        jobs: [sendNotice.name],
        olderThanMs: 0,
        limit: 100,
      }))
        await runJob(db, sendNotice, { intentId, version });
      const [message, ...more] = await db.rows<{ content: string; html: string }>(
        `SELECT m.content, m.rendered_content AS html FROM messages m JOIN users u ON u.id = m.sender_id
         WHERE m.id > $1 AND u.system_bot_kind IS NOT NULL ORDER BY m.id`,
        [last?.id],
      );
      expect(more, about).to.have.length(0);
      expect(message, about).not.to.equal(undefined);
      if (message) said.set(about, message);
    };

    await rename("users", "full_name", actor.id);
    const room = await channel(db, org.realm, { subscribers: [actor] });
    const group = await newGroup(gateway, org.owner, {
      name: `group ${turn}`,
      members: [actor.id],
    });
    await rename("named_user_group", "name", group);
    await listen("added to a group", () => members(actor, group, { add: [received.id] }));
    await listen("removed from a group", () => members(actor, group, { delete: [received.id] }));
    await listen("subscribed", async () => {
      succeeded(
        await scene.as(actor).post("/api/v1/users/me/subscriptions", {
          subscriptions: [{ name: room.name }],
          principals: [received.id],
        }),
      );
      await rename("channels", "name", room.id);
    });
    await listen("a new channel", async () => {
      const announcements = await channel(db, org.realm, { subscribers: [received] });
      await changeOrganization(db, org.realm, {
        newStreamAnnouncementsChannelId: announcements.id,
        sendChannelEventsMessages: false,
      });
      const made = await scene.as(actor).post("/api/v1/channels/create", {
        name: `new ${turn}`,
        subscribers: [],
        announce: true,
      });
      await rename("channels", "name", succeeded(made)["id"] as number, "n");
    });
    await listen("a channel without subscribers", async () => {
      const empty = await channel(db, org.realm);
      const robot = await bot(db, received);
      await rename("users", "full_name", robot.id);
      await send(scene.as(robot), toChannel(empty.id));
      await rename("channels", "name", empty.id, "e");
    });
    await listen("a scheduled message that failed", async () => {
      const id = await schedule(scene.as(received), channelMessage(room.id));
      const called = `${name.replaceAll(/[*\n]/g, " ")}${turn}`;
      await db.rows("UPDATE scheduled_messages SET content = $2 WHERE id = $1", [
        id,
        `@*${called}*`,
      ]);
      const nobody = org.groups["role:nobody"];
      await db.rows(
        "UPDATE named_user_group SET name = $2, can_mention_group_id = $3 WHERE id = $1",
        [group, called, nobody],
      );
      await deliverNow(db, org.realm, [id]);
    });
    return said;
  }

  async function members(actor: TestAccount, group: number, change: object): Promise<void> {
    succeeded(await scene.as(actor).post(`/api/v1/user_groups/${group}/members`, { ...change }));
  }

  it("render the same elements as harmless names", async () => {
    const harmless = await everyNotice("name");
    for (const name of hostileNames) {
      for (const [about, { content, html }] of await everyNotice(name)) {
        expect(elements(html), `${about}: ${html}`).to.deep.equal(
          elements(harmless.get(about)!.html),
        );
        const preview = await scene
          .as(scene.org.member)
          .post("/api/v1/messages/render", { content });
        expect(succeeded(preview)["rendered"], content).not.to.match(/href="(?:https?|mailto):/);
      }
    }
  });
});
