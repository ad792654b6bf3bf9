import { cleanLine, cut, UniqueNames } from "../clean-names.ts";
import type { ConversionReport } from "../conversion-report.ts";
import type { ChannelRecord, SubscriptionRecord } from "../records.ts";
import type { SlackPeople } from "./people.ts";
import type { SlackConversation } from "./schemas.ts";

/** A channel, or a conversation of direct messages. */
export type Conversation =
  | { readonly slackId: string; readonly kind: "channel"; readonly channelId: number }
  | { readonly slackId: string; readonly kind: "direct"; readonly to: readonly number[] };

/** Files that list conversations. */
export const conversationFiles = {
  "channels.json": { kind: "channel", isPrivate: false },
  "groups.json": { kind: "channel", isPrivate: true },
  "mpims.json": { kind: "direct", isPrivate: true },
  "dms.json": { kind: "direct", isPrivate: true },
} as const;
export type ConversationFile = keyof typeof conversationFiles;

/** Channels and conversations of the export that is written, by the ids and folders of Slack. */
export class SlackConversations {
  readonly channels: ChannelRecord[] = [];
  readonly subscriptions: SubscriptionRecord[] = [];
  /** Ids of channels to which new accounts are subscribed. */
  readonly defaults: number[] = [];
  readonly #byFolder = new Map<string, Conversation>();
  readonly #names = new Map<string, string>();
  readonly #taken = new UniqueNames(60);
  readonly #people: SlackPeople;
  readonly #report: ConversionReport;

  constructor(people: SlackPeople, report: ConversionReport) {
    this.#people = people;
    this.#report = report;
  }

  /** Adds an element of one of the files. */
  add(found: SlackConversation, file: ConversationFile): void {
    const { kind, isPrivate } = conversationFiles[file];
    if (this.#byFolder.has(found.id)) {
      this.#report.add({
        what: "conversation",
        where: file,
        why: `the id ${found.id} is there twice`,
      });
      return;
    }
    const where = `${file}, ${found.id}`;
    const members = [...new Set(found.members ?? [])].map(
      (member) => this.#people.require(member, undefined, where).id,
    );
    const conversation: Conversation =
      kind === "direct"
        ? { slackId: found.id, kind, to: members }
        : {
            slackId: found.id,
            kind,
            channelId: this.#addChannel(found, isPrivate, members, where),
          };
    this.#byFolder.set(found.id, conversation);
    // A folder has the conversation's name, one of direct messages its id.
    if (found.name !== undefined && !this.#byFolder.has(found.name))
      this.#byFolder.set(found.name, conversation);
    if (found.pins && found.pins.length > 0)
      for (const _ of found.pins) this.#report.skip("pins of messages");
  }

  /** Returns the conversation whose messages are in a folder. */
  inFolder(folder: string): Conversation | undefined {
    return this.#byFolder.get(folder);
  }

  channelName(slackId: string): string | undefined {
    return this.#names.get(slackId);
  }

  #addChannel(
    found: SlackConversation,
    isPrivate: boolean,
    members: readonly number[],
    where: string,
  ): number {
    const id = this.channels.length + 1;
    const wanted = cleanLine(found.name ?? "") || found.id;
    const name = this.#taken.take(wanted);
    if (name !== wanted)
      this.#report.add({ what: "channel name", where, why: `${wanted} became ${name}` });
    const creator = found.creator === undefined ? undefined : this.#people.account(found.creator);
    const created = found.created === undefined ? undefined : dateOf(found.created);
    const description = [found.purpose?.value, found.topic?.value]
      .map((one) => cleanLine(unescape(one ?? "")))
      .filter((one) => one !== "")
      .join(" · ");
    this.channels.push({
      id,
      name,
      description: cut(description, 1024),
      invite_only: isPrivate,
      history_public_to_subscribers: true,
      is_archived: found.is_archived === true,
      ...(creator && { creator_id: creator.id }),
      ...(created !== undefined && { date_created: created }),
    });
    this.#names.set(found.id, name);
    for (const userId of members) this.subscriptions.push({ channel_id: id, user_id: userId });
    if (found.is_general === true && !isPrivate) this.defaults.push(id);
    return id;
  }
}

function dateOf(seconds: number): string | undefined {
  const date = new Date(seconds * 1000);
  const year = date.getUTCFullYear();
  return year >= 1970 && year <= 9999 ? date.toISOString() : undefined;
}

function unescape(text: string): string {
  return text
    .replaceAll(
      /<([^<>|]+)(?:\|([^<>]*))?>/g,
      (_, target: string, label?: string) => label || target,
    )
    .replaceAll("&lt;", "<")
    .replaceAll("&gt;", ">")
    .replaceAll("&amp;", "&");
}
