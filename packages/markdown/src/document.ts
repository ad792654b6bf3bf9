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
  /** Finished HTML of much more characters than its source, which stands in its place once a text has too much. */
  | { readonly kind: "element"; readonly html: string; readonly source: string }
  | { readonly kind: "math"; readonly tex: string }
  | {
      readonly kind: "link";
      readonly href: string;
      readonly label: readonly Inline[];
      readonly isTyped: boolean;
    }
  | {
      readonly kind: "user-mention";
      readonly user: UserReference;
      readonly silent: boolean;
      readonly source: string;
    }
  | {
      readonly kind: "group-mention";
      readonly group: GroupReference;
      readonly silent: boolean;
      readonly source: string;
    }
  | {
      readonly kind: "channel-wildcard";
      readonly name: string;
      readonly silent: boolean;
      readonly source: string;
    }
  | { readonly kind: "topic-wildcard"; readonly silent: boolean; readonly source: string }
  | { readonly kind: "channel-link"; readonly target: ChannelReference; readonly source: string }
  | { readonly kind: "custom-emoji"; readonly name: string; readonly source: string };

/** Markup whose HTML depends on the organization, on the author, or on what stands before it in the text. */
export type UnsettledPiece = Extract<
  Inline,
  {
    readonly kind:
      | "element"
      | "math"
      | "link"
      | "user-mention"
      | "group-mention"
      | "channel-wildcard"
      | "topic-wildcard"
      | "channel-link"
      | "custom-emoji";
  }
>;

/** A displayed formula. */
export interface MathBlock {
  readonly kind: "math-block";
  readonly tex: string;
}

/**
 * A text after reading. What depends on nothing is HTML already: a document is not much larger than its HTML, where the
 * engine's tokens take a hundred times the text.
 */
export interface Document {
  /** Finished HTML, and what stands between. */
  readonly pieces: ReadonlyArray<string | UnsettledPiece | MathBlock>;
  /** The source of each paragraph, heading and cell, which linkifiers look at. */
  readonly texts: readonly string[];
}
