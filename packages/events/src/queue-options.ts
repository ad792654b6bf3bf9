import type { ClientCapability, EventDeclaration, ProgramNeed } from "@carillon/contract";

/** One term of a queue's narrow: operator and operand, as sent. */
export type NarrowTerm = readonly [operator: string, operand: string];

/** How a client wants its events, as it said at registration; stored with the queue. */
export interface QueueOptions {
  /** Types that are delivered; null for all. */
  readonly eventTypes: readonly string[] | null;
  /** Messages of public channels are delivered too where the user is not subscribed. */
  readonly allPublicChannels: boolean;
  /** Messages carry HTML rather than what was written. */
  readonly applyMarkdown: boolean;
  /** The client makes up gravatar addresses by itself. */
  readonly clientGravatar: boolean;
  readonly slimPresence: boolean;
  /** Terms that all must hold for a `message` event. */
  readonly narrow: readonly NarrowTerm[];
  readonly capabilities: readonly ClientCapability[];
  /** What its program reads of older forms; absent for nothing. */
  readonly needs?: readonly ProgramNeed[];
}

/** A client's queue: a place in the log, and how its events are wanted. It holds no events. */
export interface EventQueue {
  /** UUID */
  readonly id: string;
  readonly realmId: number;
  readonly userId: number;
  /** What its account sees by, as of this poll: the presenter knows what the number means. */
  readonly userVisibility: number;
  /** The last event that the client's snapshot contains. */
  readonly baseSeq: number;
  readonly options: QueueOptions;
  /** Seconds without a poll after which it dies. */
  readonly idleTimeout: number;
}

/** An event as the log keeps it, once for all receivers. */
export interface LoggedEvent {
  /** Its number in the organization. */
  readonly seq: number;
  readonly type: string;
  readonly op: string | null;
  /** undefined for a row that another version of Carillon has written. */
  readonly declared: EventDeclaration | undefined;
  readonly payload: Readonly<Record<string, unknown>>;
  /** Who is told; null for every active account. */
  readonly audience: readonly number[] | null;
  /** What differs between receivers, by exception: account id → fields. */
  readonly userData: Readonly<Record<string, Readonly<Record<string, unknown>>>> | null;
}

/** An event as a client gets it, but for its `id`. */
export type QueueEvent = { readonly type: string } & Readonly<Record<string, unknown>>;
