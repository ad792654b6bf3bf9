import type { EventType } from "./event-stream.ts";
import type { ServerEvent } from "./generated/api.ts";

/** The body of a request to the URL of an event subscription (bot-platform.md §3). */
export type EventSubscriptionCall = EventBatch | EventPing;

/** Events, in ascending order of their ids. Events arrive at least once: ids that were handled before can be ignored. */
export interface EventBatch extends Call<"events"> {
  readonly data: EventSubscriber & {
    /** Whether events before these are lost, because they were not delivered while the server kept them. */
    readonly gap: boolean;
    readonly events: readonly SubscribedEvent[];
  };
}

/** Sent on demand, without events, to try the endpoint. */
export interface EventPing extends Call<"ping"> {
  readonly data: EventSubscriber;
}

interface Call<Type extends string> {
  readonly type: Type;
  /** When the server made this attempt, in ISO 8601. */
  readonly timestamp: string;
}

/** Whose events are sent. */
export interface EventSubscriber {
  readonly subscription_id: number;
  readonly bot_id: number;
  readonly realm_url: string;
}

/** Types of events that no subscription delivers: they are worth nothing when they arrive late. */
type MomentaryType = "presence" | "typing" | "typing_edit_message";

/** An event of a subscription. The texts of messages are as they were written. */
export type SubscribedEvent = Extract<
  ServerEvent,
  { readonly type: Exclude<EventType, MomentaryType> }
>;
