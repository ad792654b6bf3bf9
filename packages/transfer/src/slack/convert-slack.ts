import { jsonItems } from "../archives/json-items.ts";
import type { SourceArchive } from "../archives/source-archive.ts";
import { cleanLine, cut } from "../clean-names.ts";
import type { ConversionReport } from "../conversion-report.ts";
import { type Block, shownText } from "../markup/document.ts";
import { writeMarkdown } from "../markup/write-markdown.ts";
import type { AccountRecord, MessageRecord } from "../records.ts";
import { PictureMaker } from "../picture-maker.ts";
import { TransferError } from "../transfer-error.ts";
import type { TransferWriter } from "../writer.ts";
import { isServiceMessage, parseMessage, splitContent } from "./convert-message.ts";
import { type ConversationFile, conversationFiles, SlackConversations } from "./conversations.ts";
import { type FoundMessage, messagesByTime, microseconds } from "./days.ts";
import { slackEmoji } from "./emoji.ts";
import { SlackFiles } from "./files.ts";
import { SlackPeople } from "./people.ts";
import type { SlackNames } from "./references.ts";
import { slackConversation, type SlackMessage, slackUser } from "./schemas.ts";
import { ThreadTopics } from "./topics.ts";

/** UTF-16 units that a message may have; the server's limit is 10,000 code points. */
const maxContent = 10_000;

/** The id of the organization in the export that is written. */
const realmId = 1;

export interface SlackOptions {
  readonly archive: SourceArchive;
  /** A folder with the contents of files, which exports do not have. */
  readonly files?: SourceArchive | undefined;
  readonly writer: TransferWriter;
  readonly report: ConversionReport;
  readonly organizationName: string;
  /** The topic of messages outside threads. */
  readonly defaultTopic: string;
  /** Called now and then with the number of messages. */
  readonly progress?: ((messages: number) => void) | undefined;
}

/** Converts an export of Slack to one of Carillon. */
export async function convertSlack(options: SlackOptions): Promise<void> {
  const { archive, writer, report } = options;
  if (archive.size("users.json") === undefined || archive.size("channels.json") === undefined)
    throw new TransferError(
      "the export",
      undefined,
      "has no users.json and channels.json: it is not one of Slack",
    );
  const people = new SlackPeople(report);
  for await (const { value, index } of items(archive, "users.json")) {
    const where = `users.json, element ${index}`;
    const user = slackUser.safeParse(value);
    if (user.success) people.add(user.data, where);
    else report.add({ what: "person", where, why: "has no id" });
  }
  const owner = people.chooseOwner();
  if (!owner)
    throw new TransferError(
      "users.json",
      undefined,
      "has no active person with an e-mail address, who could own the organization",
    );
  const conversations = new SlackConversations(people, report);
  for (const file of Object.keys(conversationFiles) as ConversationFile[]) {
    if (archive.size(file) === undefined) continue;
    for await (const { value, index } of items(archive, file)) {
      const found = slackConversation.safeParse(value);
      if (found.success) conversations.add(found.data, file);
      else
        report.add({ what: "conversation", where: `${file}, element ${index}`, why: "has no id" });
      await report.flushIfFull();
    }
  }
  const archives = options.files ? [archive, options.files] : [archive];
  const files = new SlackFiles(archives, writer, report);
  const makers = archives.map((one) => new PictureMaker({ archive: one, writer, report }, realmId));
  const emoji = await customEmoji(archives, makers);
  const messages = new MessageConverter(options, people, conversations, files, emoji);
  await writer.write("messages", messages.all());
  await writer.write("realms", [{ id: realmId, name: cut(options.organizationName, 40) }]);
  await addPictures(people, archives, makers);
  await writer.write("users", people.records);
  await writer.write("channels", conversations.channels);
  await writer.write("subscriptions", conversations.subscriptions);
  await writer.write(
    "default_channels",
    conversations.defaults.map((id) => ({ channel_id: id })),
  );
  await writer.write("attachments", files.attachments);
  await writer.write("attachment_claims", files.claims);
  await writer.write(
    "realm_emoji",
    [...emoji.values()].map((one) => ({ ...one, author_id: owner.id })),
  );
  await writer.write(
    "pictures",
    makers.flatMap(({ records }) => records),
  );
}

function items(archive: SourceArchive, name: string): ReturnType<typeof jsonItems> {
  const bytes = (async function* (): AsyncGenerator<Buffer> {
    yield* (await archive.open(name)) as AsyncIterable<Buffer>;
  })();
  return jsonItems(name, bytes);
}

interface CustomEmoji {
  readonly id: number;
  readonly name: string;
  readonly file: string;
  readonly still_file?: string;
}

/** Copies custom emoji: `emoji/NAME.png`, which an operator has added, as exports do not have them. */
async function customEmoji(
  archives: readonly SourceArchive[],
  makers: readonly PictureMaker[],
): Promise<ReadonlyMap<string, CustomEmoji>> {
  const emoji = new Map<string, CustomEmoji>();
  for (const [index, archive] of archives.entries())
    for (const file of archive.names) {
      const name = /^emoji\/([a-z0-9_-]{0,99}[a-z0-9])\.(?:png|gif|jpe?g|webp)$/.exec(file)?.[1];
      if (name === undefined || emoji.has(name)) continue;
      const id = emoji.size + 1;
      const made = await makers[index]?.emoji(id, file);
      if (made) emoji.set(name, { id, name, ...made });
    }
  return emoji;
}

/** Adds pictures of people: `avatars/USER_ID.png`, which an operator has added. */
async function addPictures(
  people: SlackPeople,
  archives: readonly SourceArchive[],
  makers: readonly PictureMaker[],
): Promise<void> {
  for (const [index, archive] of archives.entries())
    for (const file of archive.names) {
      const userId = /^avatars\/([A-Z0-9]{1,30})\.(?:png|gif|jpe?g|webp)$/.exec(file)?.[1];
      const account = userId === undefined ? undefined : people.account(userId);
      if (userId !== undefined && account)
        people.addPicture(userId, (await makers[index]?.avatar(account.id, file)) ?? {});
    }
}

/** Converts messages one after the other. */
class MessageConverter {
  readonly #options: SlackOptions;
  readonly #people: SlackPeople;
  readonly #conversations: SlackConversations;
  readonly #files: SlackFiles;
  readonly #emoji: ReadonlyMap<string, CustomEmoji>;
  readonly #topics: ThreadTopics;
  readonly #names: SlackNames;
  #nextId = 1;

  constructor(
    options: SlackOptions,
    people: SlackPeople,
    conversations: SlackConversations,
    files: SlackFiles,
    emoji: ReadonlyMap<string, CustomEmoji>,
  ) {
    this.#options = options;
    this.#people = people;
    this.#conversations = conversations;
    this.#files = files;
    this.#emoji = emoji;
    this.#topics = new ThreadTopics(options.defaultTopic);
    this.#names = {
      account: (userId) => people.account(userId),
      channel: (channelId) => conversations.channelName(channelId),
    };
  }

  async *all(): AsyncGenerator<MessageRecord> {
    const { archive, report, progress } = this.#options;
    for await (const found of messagesByTime(archive, this.#conversations, report)) {
      if (isServiceMessage(found.message)) {
        report.skip(`service messages (${found.message.subtype ?? "hidden"})`);
        continue;
      }
      yield* await this.#convert(found);
      await report.flushIfFull();
      if (this.#nextId % 10_000 === 0) progress?.(this.#nextId);
    }
  }

  async #convert({ conversation, message, where }: FoundMessage): Promise<MessageRecord[]> {
    const { report } = this.#options;
    const sender = this.#senderOf(message, where);
    if (!sender) return [];
    const sentAt = timeOf(message.ts);
    if (sentAt === undefined) {
      report.add({ what: "message", where, why: `its ts is no time` });
      return [];
    }
    const blocks = parseMessage(message, this.#names);
    const attached = [
      ...(message.files ?? []),
      ...(message.file === undefined ? [] : [message.file]),
    ];
    const links = await this.#files.linksOf(attached, sender.id, sentAt, where);
    const contents = contentsOf([...blocks, ...links], message.subtype === "me_message");
    if (contents.length === 0) {
      report.add({ what: "message", where, why: "has no text and no files" });
      return [];
    }
    if (contents.length > 1)
      report.add({
        what: "message",
        where,
        why: `was too long: became ${contents.length} messages`,
      });
    const place =
      conversation.kind === "direct"
        ? { to: [...new Set([...conversation.to, sender.id])] }
        : {
            channel_id: conversation.channelId,
            topic: this.#topicOf(conversation.slackId, message, [...blocks, ...links]),
          };
    if (message.edited)
      report.skip("marks of edited messages, whose earlier texts are not in the export");
    const records = contents.map((content, index) => ({
      id: this.#nextId++,
      sender_id: sender.id,
      ...place,
      sent_at: sentAt,
      content,
      ...(index === 0 && { reactions: this.#reactionsOf(message, where) }),
    }));
    for (const record of records) this.#files.claim(attached, record);
    return records;
  }

  #senderOf(message: SlackMessage, where: string): AccountRecord | undefined {
    const { user, bot_id, username, user_profile, bot_profile } = message;
    if (user !== undefined)
      return this.#people.require(
        user,
        user_profile?.real_name ||
          user_profile?.display_name ||
          user_profile?.name ||
          bot_profile?.name ||
          username,
        where,
        bot_id !== undefined,
      );
    const bot = bot_id ?? (username === undefined ? undefined : `bot:${username}`);
    if (bot !== undefined)
      return this.#people.require(bot, bot_profile?.name ?? username ?? "Bot", where, true);
    this.#options.report.add({ what: "message", where, why: "has no sender" });
    return undefined;
  }

  #topicOf(channel: string, message: SlackMessage, blocks: readonly Block[]): string {
    const { thread_ts, ts, reply_count } = message;
    const isRoot = thread_ts === ts && (reply_count ?? 0) > 0;
    if (thread_ts === undefined || (thread_ts === ts && !isRoot)) return this.#options.defaultTopic;
    return this.#topics.of(channel, thread_ts, isRoot ? shownText(blocks) : undefined);
  }

  #reactionsOf(message: SlackMessage, where: string): NonNullable<MessageRecord["reactions"]> {
    const reactions = new Map<string, NonNullable<MessageRecord["reactions"]>[number]>();
    for (const { name, users, count } of message.reactions ?? []) {
      const unicode = slackEmoji(name);
      const custom = this.#emoji.get(name);
      if (!unicode && !custom) {
        this.#options.report.add({
          what: "reaction",
          where,
          why: `the emoji ${name} is not in the export`,
        });
        continue;
      }
      if (count !== undefined && count > users.length)
        this.#options.report.add({
          what: "reaction",
          where,
          why: `${count - users.length} of ${count} people with ${name} are not in the export`,
        });
      for (const user of new Set(users)) {
        const { id } = this.#people.require(user, undefined, where);
        const reaction = custom
          ? {
              user_id: id,
              reaction_type: "realm_emoji" as const,
              emoji_name: custom.name,
              emoji_code: String(custom.id),
            }
          : { user_id: id, emoji_name: unicode?.name ?? "", emoji_code: unicode?.code ?? "" };
        reactions.set(`${id}/${reaction.emoji_code}/${custom ? 1 : 0}`, reaction);
      }
    }
    return [...reactions.values()];
  }
}

function contentsOf(blocks: readonly Block[], isMe: boolean): string[] {
  const text = writeMarkdown(blocks);
  if (text.trim() === "") return [];
  // Without the entity, a text that begins so would be shown as an action.
  const content = isMe ? `/me ${text}` : text.replace(/^\/(?=me )/, "&#47;");
  return splitContent(content, maxContent);
}

/** Returns a time of Slack with its microseconds; undefined for one that is none. */
function timeOf(ts: string): string | undefined {
  if (!/^\d{1,11}(?:\.\d{1,6})?$/.test(ts)) return undefined;
  const micros = microseconds(ts);
  const date = new Date(Math.floor(micros / 1000));
  if (Number.isNaN(date.getTime()) || date.getUTCFullYear() > 9999) return undefined;
  return `${date.toISOString().slice(0, -1)}${String(micros % 1000).padStart(3, "0")}Z`;
}

/** Returns the name that Slack gives to the file of an export: `NAME Slack export DATES.zip`. */
export function workspaceName(file: string): string | undefined {
  const name = /^(.+?) Slack export/.exec(file)?.[1];
  return name === undefined ? undefined : cleanLine(name);
}
