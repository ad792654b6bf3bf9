import type {
  ClientCapability,
  EmojiObject,
  EventDeclaration,
  EventFields,
  EventShape,
  FieldsOf,
  LoggedFields,
  OwnFieldsOf,
  ProgramNeed,
  ValuesOf,
} from "@carillon/contract";
import type { Secrets, Viewer } from "@carillon/model";
import type { EventQueue, LoggedEvent, QueueEvent } from "@carillon/events";

/** The properties of an organization that events depend on. */
export interface EventContext {
  /** Display name of the empty topic, for clients that do not support the empty name. */
  readonly emptyTopicDisplayName: string;
  /** `PUBLIC_URL` */
  readonly siteUrl: string;
  /** The organization's host name. */
  readonly host: string;
  /** All custom emoji, for clients that do not support single changes. */
  readonly realmEmoji: Readonly<Record<string, EmojiObject>>;
  /** Decrypts the sealed fields of the log. */
  readonly secrets: Pick<Secrets, "open">;
}

/** Why a queue gets an event: its user is in the audience, or it listens to all public channels. */
export type Via = "audience" | "public";

/** The logged fields for one receiver: the common fields, overridden by the receiver's own. */
type Received<Event extends EventDeclaration> = Event["own"] extends EventShape
  ? LoggedFields<Event> & OwnFieldsOf<Event>
  : LoggedFields<Event>;

/** The capabilities that the declaration names; a format can use no others. */
type Named<Event extends EventDeclaration> = keyof Event["older"] & ClientCapability;

/** The needs that the declaration names. */
type NamedNeed<Event extends EventDeclaration> = keyof Event["older"] & ProgramNeed;

type OlderFields<Event extends EventDeclaration, Reason extends keyof Event["older"]> =
  NonNullable<Event["older"][Reason]> extends {
    readonly fields: infer Fields extends EventFields;
  }
    ? ValuesOf<Fields>
    : never;

/** The events that the declaration names as substitutes. */
type Substitute<Event extends EventDeclaration> = Event["older"][Named<Event>] extends infer Form
  ? Form extends { readonly becomes: readonly (infer Other)[] }
    ? Other & EventDeclaration
    : never
  : never;

/** An event to send to one queue. The declaration determines the formats in which it can be sent. */
export class OutgoingEvent<Event extends EventDeclaration = EventDeclaration> {
  readonly event: LoggedEvent;
  readonly queue: EventQueue;
  readonly context: EventContext;
  readonly via: Via;

  constructor(event: LoggedEvent, queue: EventQueue, context: EventContext, via: Via) {
    this.event = event;
    this.queue = queue;
    this.context = context;
    this.via = via;
  }

  /** The logged fields for all receivers. */
  get logged(): LoggedFields<Event> {
    return this.event.payload as LoggedFields<Event>;
  }

  /** The logged fields, overridden by the receiver's own. */
  get fields(): Received<Event> {
    const { logged, own } = this;
    return (own ? { ...logged, ...own } : logged) as Received<Event>;
  }

  /** The receiver's own fields. */
  get own(): OwnFieldsOf<Event> | undefined {
    if (this.via === "public") return undefined;
    return this.event.userData?.[String(this.queue.userId)] as OwnFieldsOf<Event> | undefined;
  }

  /** The queue's user. */
  get viewer(): Viewer {
    return { id: this.queue.userId, role: this.queue.viewerRole };
  }

  has(capability: Named<Event>): boolean {
    return this.queue.options.capabilities.includes(capability);
  }

  /** Whether the queue's client program needs an older format. */
  needs(need: NamedNeed<Event>): boolean {
    return this.queue.options.needs?.includes(need) ?? false;
  }

  /** The topic as the client knows it. */
  topic(this: OutgoingEvent<Event & HasTopic>, name: string): string {
    return name === "" && !this.has("empty_topic_name") ? this.context.emptyTopicDisplayName : name;
  }

  /** Makes the format for clients with all capabilities and no needs. */
  present(fields: FieldsOf<Event>): QueueEvent {
    return onWire(this.event, fields);
  }

  /** Makes the format for clients without the capability, or programs with the need. */
  presentOlder<Reason extends Named<Event> | NamedNeed<Event>>(
    _reason: Reason,
    fields: OlderFields<Event, Reason>,
  ): QueueEvent {
    return onWire(this.event, fields);
  }

  /** Makes another event instead, for clients without a capability. */
  presentAs<Other extends Substitute<Event>>(declared: Other, fields: FieldsOf<Other>): QueueEvent {
    return onWire(declared, fields);
  }
}

function onWire(
  { type, op }: { readonly type: string; readonly op: string | null | undefined },
  fields: object,
): QueueEvent {
  return op == null ? { type, ...fields } : { type, op, ...fields };
}

type HasTopic = EventDeclaration & { readonly older: { readonly empty_topic_name: object } };

/** Converts an event to what a queue receives: no event, one or several. */
export type Format<Event extends EventDeclaration> = (
  outgoing: OutgoingEvent<Event>,
) => readonly QueueEvent[];
