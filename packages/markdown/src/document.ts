/** A mention of a user: a name, an ID, or both. */
export interface UserReference {
  readonly kind: "user";
  /** As written; `""` when only an ID was given. */
  readonly name: string;
  readonly id: number | undefined;
}

/** A mention of a group. */
export interface GroupReference {
  readonly kind: "group";
  readonly name: string;
}

/** A link to a channel, topic or message. */
export interface ChannelReference {
  readonly kind: "channel";
  readonly channel: string;
  /** `undefined`: the channel itself; `""`: the empty topic. */
  readonly topic: string | undefined;
  readonly messageId: number | undefined;
}

/** A reference to a user, group or channel; it is markup only if the organization has one of that name or ID. */
export type Reference = UserReference | GroupReference | ChannelReference;

/** A piece of inline content. */
export type Inline =
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "break" }
  | { readonly kind: "code"; readonly text: string }
  /** Finished HTML. */
  | { readonly kind: "html"; readonly html: string }
  /** Finished HTML that is much longer than its source; replaced by the source once a text exceeds its allowance. */
  | { readonly kind: "element"; readonly html: string; readonly source: string }
  | { readonly kind: "math"; readonly tex: string }
  | {
      readonly kind: "link";
      readonly href: string;
      readonly label: readonly Inline[];
      readonly isTyped: boolean;
      /** Whether it is in a quote, where links have no previews; false unless given. */
      readonly isQuoted?: boolean;
    }
  /** `![alt](href)`, where `href` may lead to an uploaded file. */
  | {
      readonly kind: "image";
      readonly alt: string;
      readonly link: Extract<Inline, { readonly kind: "link" }>;
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

/** Markup whose HTML depends on the organization, the author, or preceding text. */
export type UnsettledPiece = Extract<
  Inline,
  {
    readonly kind:
      | "element"
      | "math"
      | "link"
      | "image"
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

/** A block of code in a language whose tokens have spans. */
export interface CodeBlock {
  readonly kind: "code-block";
  /** The language's canonical name. */
  readonly language: string;
  /** Ends with a line break. */
  readonly code: string;
}

/** The place of the previews of the links before it that have none yet. */
export interface PreviewPlace {
  readonly kind: "previews";
  /** Whether a line break follows each: after a paragraph, but not in an item of a tight list. */
  readonly asBlocks: boolean;
}

/** A paragraph that consists only of the URL of an uploaded file. The preview of the file replaces it. */
export interface LoneUpload {
  readonly kind: "lone-upload";
  readonly link: Extract<Inline, { readonly kind: "link" }>;
}

/** A part of a document whose HTML is settled in phase 2. */
export type Unsettled = UnsettledPiece | MathBlock | CodeBlock | PreviewPlace | LoneUpload;

/**
 * A parsed text. Parts that depend on nothing are HTML already, so a document is about as large as its HTML; the engine's
 * tokens would take a hundred times the text.
 */
export interface Document {
  /** Finished HTML, and the unsettled pieces between. */
  readonly pieces: ReadonlyArray<string | Unsettled>;
  /** The source of each paragraph, heading and cell, for linkifiers. */
  readonly texts: readonly string[];
}
