import type { Token } from "markdown-it";

/** A user as written in a mention: a name, an ID, or both. */
export interface UserReference {
  readonly kind: "user";
  /** As written; `""` when only an ID was given. */
  readonly name: string;
  readonly id: number | undefined;
}

/** A group as written in a mention. */
export interface GroupReference {
  readonly kind: "group";
  readonly name: string;
}

/** A channel, topic or message as written in a link to it. */
export interface ChannelReference {
  readonly kind: "channel";
  readonly channel: string;
  /** `undefined`: the channel itself; `""`: the empty topic. */
  readonly topic: string | undefined;
  readonly messageId: number | undefined;
}

/** Something that is only markup if the organization has it. */
export type Reference = UserReference | GroupReference | ChannelReference;

/** A piece of a line of text. */
export type Inline =
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "break" }
  | { readonly kind: "code"; readonly text: string }
  /** Finished HTML that the renderer made itself. */
  | { readonly kind: "html"; readonly html: string }
  | { readonly kind: "math"; readonly tex: string }
  | { readonly kind: "link"; readonly href: string; readonly label: readonly Inline[] }
  | { readonly kind: "user-mention"; readonly user: UserReference; readonly silent: boolean }
  | { readonly kind: "group-mention"; readonly group: GroupReference; readonly silent: boolean }
  | { readonly kind: "channel-wildcard"; readonly name: string; readonly silent: boolean }
  | { readonly kind: "topic-wildcard"; readonly silent: boolean }
  | { readonly kind: "channel-link"; readonly target: ChannelReference }
  | { readonly kind: "custom-emoji"; readonly name: string };

/** Block structure, and the text of each `inline` token in order. */
export interface Document {
  readonly tokens: readonly Token[];
  readonly inlines: readonly (readonly Inline[])[];
}
