import type { Viewer } from "@carillon/model";
import type { ClientCapability } from "@carillon/contract";
import type { EventQueue, LoggedEvent, QueueEvent } from "@carillon/events";

/** What an organization says about its events. */
export interface DeliveryContext {
  /** What the empty topic is called for clients that do not know it. */
  readonly emptyTopicDisplayName: string;
  /** `PUBLIC_URL` */
  readonly siteUrl: string;
}

/** Why a queue gets an event: its user is among the receivers, or it listens to all public channels. */
export type Via = "audience" | "public";

type Fields = Readonly<Record<string, unknown>>;

/** One event on its way to one queue. */
export class Delivery {
  readonly event: LoggedEvent;
  readonly queue: EventQueue;
  readonly context: DeliveryContext;
  readonly via: Via;

  constructor(event: LoggedEvent, queue: EventQueue, context: DeliveryContext, via: Via) {
    this.event = event;
    this.queue = queue;
    this.context = context;
    this.via = via;
  }

  /** The log's fields, with those of the receiver in the place of everybody's. */
  fields(): Fields {
    const { payload } = this.event;
    const { own } = this;
    return own ? { ...payload, ...own } : payload;
  }

  /** What differs between receivers, for this one. */
  get own(): Fields | undefined {
    if (this.via === "public") return undefined;
    return this.event.userData?.[String(this.queue.userId)];
  }

  /** Whose queue it is. */
  get viewer(): Viewer {
    return { id: this.queue.userId, role: this.queue.role };
  }

  has(capability: ClientCapability): boolean {
    return this.queue.options.capabilities.includes(capability);
  }

  /** The fields with those of them that are topics as the client knows them. */
  withTopics(fields: Fields, ...names: readonly string[]): Fields {
    if (this.has("empty_topic_name")) return fields;
    const { emptyTopicDisplayName } = this.context;
    const empty = names.filter((name) => fields[name] === "");
    return { ...fields, ...Object.fromEntries(empty.map((name) => [name, emptyTopicDisplayName])) };
  }

  /** The event with other fields than the log's, and perhaps another `op`. */
  with(fields: Fields, op: string | null = this.event.op): QueueEvent {
    return { type: this.event.type, ...(op === null ? {} : { op }), ...fields };
  }
}

/** Makes what a queue is told of an event: once, more than once, or not at all. */
export type Formatter = (delivery: Delivery) => readonly QueueEvent[];
