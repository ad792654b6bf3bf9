import type { ClientCapability, EventDeclaration, ProgramNeed } from "@carillon/contract";

/** One term of a queue's narrow: operator and operand, as sent. */
export type NarrowTerm = readonly [operator: string, operand: string];

/** Delivery options that a client chose at registration; stored with the queue. */
export interface QueueOptions {
  /** Event types to deliver; null for all. */
  readonly eventTypes: readonly string[] | null;
  /** Deliver messages of public channels even if the user is not subscribed. */
  readonly allPublicChannels: boolean;
  /** Messages carry rendered HTML instead of Markdown source. */
  readonly applyMarkdown: boolean;
  /** The client computes Gravatar URLs itself. */
  readonly clientGravatar: boolean;
  readonly slimPresence: boolean;
  /** Terms that a `message` event must all match. */
  readonly narrow: readonly NarrowTerm[];
  readonly capabilities: readonly ClientCapability[];
  /** Older response forms that the client program reads; absent for none. */
  readonly needs?: readonly ProgramNeed[];
}

/** A client's queue: a position in the log and delivery options. It holds no events. */
export interface EventQueue {
  /** UUID */
  readonly id: string;
  readonly realmId: number;
  readonly userId: number;
  /** The account's role as of this poll, by which the presenter decides what the account may see. */
  readonly viewerRole: number;
  /** The last event that the client's snapshot contains. */
  readonly baseSeq: number;
  readonly options: QueueOptions;
  /** Seconds without a poll until the queue expires. */
  readonly idleTimeout: number;
}

/** An event as stored in the log, once for all receivers. */
export interface LoggedEvent {
  /** The event's number in its organization. */
  readonly seq: number;
  readonly type: string;
  readonly op: string | null;
  /** undefined for a row written by another version of Carillon. */
  readonly declared: EventDeclaration | undefined;
  readonly payload: Readonly<Record<string, unknown>>;
  /** Account ids of the receivers; null for every active account. */
  readonly audience: readonly number[] | null;
  /** Fields that differ for some receivers: account id → fields. */
  readonly userData: Readonly<Record<string, Readonly<Record<string, unknown>>>> | null;
}

/** An event as a client receives it, without its `id`. */
export type QueueEvent = { readonly type: string } & Readonly<Record<string, unknown>>;

/** An event as it is sent. */
export type NumberedEvent = QueueEvent & { readonly id: number };
