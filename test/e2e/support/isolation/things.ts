import {
  allOperations,
  createInviteLink,
  exampleOf,
  listInvites,
  sendInvites,
} from "@carillon/contract";
import type { Database } from "@carillon/db";
import {
  channel,
  channelFolder,
  device,
  exampleBlob,
  keyIn,
  profileField,
  scheduledMessage,
  unique,
  userGroup,
  type Gateway,
  type TestOrganization,
} from "@carillon/testkit";
import { madeValue, type Maker } from "../made-value.ts";

/** One of every kind of thing that requests refer to by ID, address or name. */
export interface Things {
  readonly user: number;
  readonly email: string;
  readonly bot: number;
  readonly channel: number;
  readonly channelName: string;
  readonly folder: number;
  readonly group: number;
  readonly message: number;
  readonly scheduled: number;
  readonly reminder: number;
  readonly draft: number;
  readonly linkifier: number;
  readonly field: number;
  readonly device: number;
  readonly queue: string;
  readonly invite: number;
  readonly inviteLink: number;
  /** The key of the reusable link. */
  readonly inviteKey: string;
  /** Further things that examples refer to, by the operation that creates them and the field of its response, and the text that the field begins with. */
  readonly made: (key: string) => unknown;
}

const none = 2_000_000_000;

/** Things that exist in no organization. */
export const nothing: Things = {
  user: none,
  email: "nobody@carillon.test",
  bot: none,
  channel: none,
  channelName: "nowhere-4711",
  folder: none,
  group: none,
  message: none,
  scheduled: none,
  reminder: none,
  draft: none,
  linkifier: none,
  field: none,
  device: none,
  queue: "0:0",
  invite: none,
  inviteLink: none,
  inviteKey: "nothing",
  made: () => none,
};

/**
 * Creates one of each for the owner of an organization, who may see and do everything in it.
 * @param further things that examples of operations create: operation and field of its response
 */
export async function makeThings(
  db: Database,
  gateway: Gateway,
  org: TestOrganization,
  further: readonly Maker[],
): Promise<Things> {
  const { owner, member, realm } = org;
  const client = gateway.as(owner);
  const made = async (field: string, path: string, params: object) => {
    const answer = await client.post(`/api/v1/${path}`, { ...params });
    const [value] = [answer.body[field]].flat();
    if (typeof value !== "string" && typeof value !== "number")
      throw new Error(`${path} answered ${answer.text}`);
    return value;
  };
  const room = await channel(db, owner, { subscribers: [owner, member] });
  const message = Number(
    await made("id", "messages", { type: "channel", to: room.id, topic: "t", content: "secret" }),
  );
  const given = [{ type: "stream", to: [room.id], topic: "t", content: "secret" }];
  const drafts = await client.post("/api/v1/drafts", { drafts: given });
  const later = Math.floor(Date.now() / 1_000) + 86_400;
  const linkifier = {
    pattern: `${unique("TK").toUpperCase()}-(?P<id>[0-9]+)`,
    url_template: "https://x.test/{id}",
  };
  await client.succeed(sendInvites, {
    params: { invitee_emails: `${unique("invited")}@example.com`, stream_ids: [] },
  });
  const { invite_link: link } = await client.succeed(createInviteLink, { params: {} });
  const { invites } = await client.succeed(listInvites);
  const madeByExamples = new Map<string, unknown>();
  /** Creates what the example of an operation needs, and then calls the operation with it. */
  const makeByExample = async (each: Maker): Promise<void> => {
    const [id, field, beginsWith] = each;
    const maker = allOperations.find((operation) => operation.id === id);
    if (!maker) throw new Error(`there is no ${id}`);
    const { as, params, file, headers, showsHeaders, made: needed } = exampleOf(maker);
    for (const first of Object.values(needed)) await makeByExample(first);
    if (showsHeaders) {
      const answer = await client.send(maker.method, maker.path, { headers });
      const [, value] = (answer.headers.get(field) ?? "").split(beginsWith ?? "");
      madeByExamples.set(each.join(" "), value);
      return;
    }
    const caller = as === "bot" ? gateway.as(org.bot) : client;
    const answer = await caller.succeed(maker, {
      params: secretly(params, room.id),
      ...(file && { files: { [file.name]: exampleBlob(file) } }),
    });
    madeByExamples.set(each.join(" "), madeValue(answer, field, beginsWith));
  };
  for (const each of further) await makeByExample(each);
  return {
    user: member.id,
    email: member.deliveryEmail,
    bot: org.bot.id,
    channel: room.id,
    channelName: room.name,
    folder: (await channelFolder(db, realm)).id,
    group: (await userGroup(db, realm, { members: [owner, member] })).id,
    message,
    scheduled: (await scheduledMessage(db, owner, room)).id,
    reminder: Number(
      await made("reminder_id", "reminders", {
        message_id: message,
        scheduled_delivery_timestamp: later,
      }),
    ),
    draft: (drafts.body["ids"] as number[])[0] ?? 0,
    linkifier: Number(await made("id", "realm/filters", linkifier)),
    field: (await profileField(db, realm)).id,
    device: await device(db, owner),
    queue: String(await made("queue_id", "register", {})),
    invite: invites.find((each) => !each.is_multiuse)?.id ?? 0,
    inviteLink: invites.find((each) => each.is_multiuse)?.id ?? 0,
    inviteKey: keyIn(link),
    made: (key) => madeByExamples.get(key),
  };
}

/** Parameters with texts of people. */
const texts = ["title", "content", "topic"];

/** Each text contains a word that no other organization may read, and is for a channel of this one. */
function secretly(
  params: Readonly<Record<string, unknown>>,
  channelId: number,
): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(params).map(([name, value]) => {
      if (name === "to") return [name, channelId];
      return [name, texts.includes(name) ? `${String(value)} secret` : value];
    }),
  );
}
