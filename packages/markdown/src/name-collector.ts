import type { Reference } from "./document.ts";
import type { InlineContext } from "./inline/cursor.ts";
import type { ReferencedNames } from "./types.ts";

/** Largest possible ID of a user. */
const LARGEST_ID = 2 ** 31 - 1;

const NO_NAMES: ReferencedNames = {
  userNames: [],
  userIds: [],
  foldedNames: [],
  groupNames: [],
  channelNames: [],
  topics: [],
};

/** The context for parsing in phase 1: accepts every reference, and records it for the lookups of phase 2. */
export class NameCollector implements InlineContext {
  readonly translateEmoticons: boolean;
  readonly references: Reference[] = [];
  readonly customEmojiNames = new Set<string>();
  readonly wildcards = { channel: false, topic: false };

  constructor(translateEmoticons: boolean) {
    this.translateEmoticons = translateEmoticons;
  }

  accepts(reference: Reference): boolean {
    if (reference.kind === "user" && (reference.id ?? 0) > LARGEST_ID) return false;
    this.references.push(reference);
    return true;
  }

  hasCustomEmoji(name: string): boolean {
    this.customEmojiNames.add(name);
    return false;
  }

  noteWildcard(kind: "channel" | "topic"): void {
    this.wildcards[kind] = true;
  }

  /** Returns the recorded names, each once. */
  names(): ReferencedNames {
    if (this.references.length === 0) return NO_NAMES;
    const userNames = new Set<string>();
    const userIds = new Set<number>();
    const groupNames = new Set<string>();
    const foldedNames = new Set<string>();
    const channelNames = new Set<string>();
    const topics = new Map<string, { channelName: string; topic: string }>();
    for (const reference of this.references) {
      if (reference.kind !== "channel") foldedNames.add(reference.name);
      if (reference.kind === "group") groupNames.add(reference.name);
      else if (reference.kind === "channel") {
        const { channel: channelName, topic, messageId } = reference;
        channelNames.add(channelName);
        if (topic === undefined || messageId !== undefined) continue;
        topics.set(`${channelName}\n${topic}`, { channelName, topic });
      } else if (reference.id !== undefined) userIds.add(reference.id);
      else userNames.add(reference.name);
    }
    return {
      userNames: [...userNames],
      userIds: [...userIds],
      foldedNames: [...foldedNames],
      groupNames: [...groupNames],
      channelNames: [...channelNames],
      topics: [...topics.values()],
    };
  }
}
