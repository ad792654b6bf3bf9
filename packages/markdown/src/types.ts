import type { Linkifiers } from "./linkifiers/linkifiers.ts";
import type { Document, Reference } from "./document.ts";

/** A user that a message may mention. */
export interface MentionableUser {
  readonly id: number;
  readonly fullName: string;
  readonly isActive: boolean;
}

/** A group that a message may mention. */
export interface MentionableGroup {
  readonly id: number;
  readonly name: string;
  /** Displayed instead of the name: system groups have one; others repeat the name. */
  readonly displayName: string;
  readonly deactivated: boolean;
  readonly isSystemGroup: boolean;
}

/** A channel that the author may see. */
export interface LinkableChannel {
  readonly id: number;
  readonly name: string;
}

/** Names to look up before `renderMessage`; all empty for most messages. */
export interface ReferencedNames {
  /** Full names as written: databases lower-case some letters differently from `toLowerCase`. */
  readonly userNames: readonly string[];
  readonly userIds: readonly number[];
  /** Names of users and groups as written, also those with an ID: the arguments of `Lookups.fold`. */
  readonly foldedNames: readonly string[];
  /** Group names as written. */
  readonly groupNames: readonly string[];
  /** Channel names exactly as written. */
  readonly channelNames: readonly string[];
  /** Topics of links, whose newest message is needed, exactly as written; `""` is the empty topic. */
  readonly topics: readonly { readonly channelName: string; readonly topic: string }[];
}

/** A text after phase 1: everything that does not need the organization's data. */
export interface ParsedMessage {
  readonly content: string;
  readonly translateEmoticons: boolean;
  readonly names: ReferencedNames;
  /** Loud wildcard mentions (rendering.md §4): outside quotes and code, not `@_**all**`. */
  readonly hasWildcard: { readonly channel: boolean; readonly topic: boolean };
  /** `:names:` that are markup only if they are custom emoji. */
  readonly customEmojiNames: readonly string[];
  readonly references: readonly Reference[];
  /** Uploaded files that the text may link to, to look up: `path_id`. */
  readonly uploadPaths: readonly string[];
  readonly document: Document;
}

/** A picture as its thumbnails show it. */
export interface MadeImage {
  /** Pixels of the original, as seen. */
  readonly width: number;
  readonly height: number;
  readonly isAnimated: boolean;
  /** The name of the picture that clients show in place of an original that browsers cannot show. */
  readonly transcoded: string | undefined;
}

/** An uploaded file that the author may read. */
export interface LinkedFile {
  /** The content type without parameters. */
  readonly mediaType: string;
  /** Undefined for a file that is not a picture; `pending` until the thumbnails have been made. */
  readonly image?: MadeImage | "pending";
}

/** Data of the organization and the author that phase 2 needs. */
export interface Lookups {
  /** Folds the case of a name as the database does, whose rules differ from JavaScript's. */
  readonly fold: (name: string) => string;
  /** Users by folded full name: several may share one. */
  readonly usersByName: ReadonlyMap<string, readonly MentionableUser[]>;
  readonly usersById: ReadonlyMap<number, MentionableUser>;
  /** Groups by folded name: names that differ only in case are different groups. */
  readonly groupsByName: ReadonlyMap<string, readonly MentionableGroup[]>;
  /** Only channels that the author may see, by exact name. */
  readonly channelsByName: ReadonlyMap<string, LinkableChannel>;
  /** ID of the newest message of a topic that the author may read. */
  readonly newestMessageOfTopic: (channelId: number, topic: string) => number | undefined;
  /** URL of the organization without a trailing slash; `""` leaves all links absolute. */
  readonly organizationUrl: string;
  readonly emptyTopicDisplayName: string;
  /** Uploaded files that the author may read, by `path_id`. */
  readonly uploads: ReadonlyMap<string, LinkedFile>;
  /** Active custom emoji by name. */
  readonly customEmoji: ReadonlyMap<string, { readonly url: string }>;
  readonly linkifiers: Linkifiers;
}

/** The HTML of a text, and its mentions and contents. */
export interface RenderedMessage {
  readonly html: string;
  /** Active users mentioned loudly, in order of appearance, without duplicates. */
  readonly mentionedUserIds: readonly number[];
  /** Active groups mentioned loudly, in order of appearance, without duplicates. */
  readonly mentionedGroupIds: readonly number[];
  readonly channelWildcard: boolean;
  readonly topicWildcard: boolean;
  readonly hasLink: boolean;
  readonly hasImage: boolean;
  readonly hasAttachment: boolean;
  /** Uploaded files that the text links to and that its author may read, each once: `path_id`. */
  readonly uploadPaths: readonly string[];
  /** The files among them that the HTML shows with a placeholder, because their thumbnails are still to be made. */
  readonly pendingImages: readonly string[];
}
