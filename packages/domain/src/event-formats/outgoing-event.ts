import type {
  ClientCapability,
  EventDeclaration,
  EventFields,
  EventShape,
  FieldsOf,
  LoggedFields,
  OwnFieldsOf,
  ProgramNeed,
  ValuesOf,
} from "@carillon/contract";
import type { Viewer } from "@carillon/model";
import type { EventQueue, LoggedEvent, QueueEvent } from "@carillon/events";

/** What an organization says about its events. */
export interface EventContext {
  /** What the empty topic is called for clients that do not know it. */
  readonly emptyTopicDisplayName: string;
  /** `PUBLIC_URL` */
  readonly siteUrl: string;
  /** The organization's host name. */
  readonly host: string;
}

/** Why a queue gets an event: its user is among the receivers, or it listens to all public channels. */
export type Via = "audience" | "public";

/** What the log keeps for one receiver: everybody's fields, with its own in their place. */
type Received<Event extends EventDeclaration> = Event["own"] extends EventShape
  ? LoggedFields<Event> & OwnFieldsOf<Event>
  : LoggedFields<Event>;

/** The capabilities that the declaration names: no format may depend on others. */
type Named<Event extends EventDeclaration> = keyof Event["older"] & ClientCapability;

/** The needs that it names. */
type NamedNeed<Event extends EventDeclaration> = keyof Event["older"] & ProgramNeed;

type OlderFields<Event extends EventDeclaration, Reason extends keyof Event["older"]> =
  NonNullable<Event["older"][Reason]> extends {
    readonly fields: infer Fields extends EventFields;
  }
    ? ValuesOf<Fields>
    : never;

/** The events that the declaration names in the place of this one. */
type Substitute<Event extends EventDeclaration> = Event["older"][Named<Event>] extends infer Form
  ? Form extends { readonly becomes: readonly (infer Other)[] }
    ? Other & EventDeclaration
    : never
  : never;

/** One event on its way to one queue. What it can be told as is what its declaration says. */
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

  /** What the log keeps for everybody. */
  get logged(): LoggedFields<Event> {
    return this.event.payload as LoggedFields<Event>;
  }

  /** The same, with what is the receiver's own in its place. */
  get fields(): Received<Event> {
    const { logged, own } = this;
    return (own ? { ...logged, ...own } : logged) as Received<Event>;
  }

  /** What differs between receivers, for this one. */
  get own(): OwnFieldsOf<Event> | undefined {
    if (this.via === "public") return undefined;
    return this.event.userData?.[String(this.queue.userId)] as OwnFieldsOf<Event> | undefined;
  }

  /** Whose queue it is. */
  get viewer(): Viewer {
    return { id: this.queue.userId, role: this.queue.userVisibility };
  }

  has(capability: Named<Event>): boolean {
    return this.queue.options.capabilities.includes(capability);
  }

  /** Whether the queue's program reads something older. */
  needs(need: NamedNeed<Event>): boolean {
    return this.queue.options.needs?.includes(need) ?? false;
  }

  /** The topic as the client knows it. */
  topic(this: OutgoingEvent<Event & TellsTopics>, name: string): string {
    return name === "" && !this.has("empty_topic_name") ? this.context.emptyTopicDisplayName : name;
  }

  /** As clients get it that have all capabilities and no needs. */
  tell(fields: FieldsOf<Event>): QueueEvent {
    return onWire(this.event, fields);
  }

  /** As clients get it that lack the capability, or whose program has the need. */
  tellOlder<Reason extends Named<Event> | NamedNeed<Event>>(
    _reason: Reason,
    fields: OlderFields<Event, Reason>,
  ): QueueEvent {
    return onWire(this.event, fields);
  }

  /** Another event in its place, for clients that lack a capability. */
  tellAs<Other extends Substitute<Event>>(declared: Other, fields: FieldsOf<Other>): QueueEvent {
    return onWire(declared, fields);
  }
}

function onWire(
  { type, op }: { readonly type: string; readonly op: string | null | undefined },
  fields: object,
): QueueEvent {
  return op == null ? { type, ...fields } : { type, op, ...fields };
}

type TellsTopics = EventDeclaration & { readonly older: { readonly empty_topic_name: object } };

/** Makes what a queue is told of an event: once, more than once, or not at all. */
export type Format<Event extends EventDeclaration> = (
  outgoing: OutgoingEvent<Event>,
) => readonly QueueEvent[];
