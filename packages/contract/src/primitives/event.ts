import type { ProgramNeed } from "./program-needs.ts";
import type { ClientCapability } from "./capabilities.ts";
import type { EventFields, EventShape, ValuesOf } from "./event-fields.ts";
import { type Audience, NewEvent } from "./new-event.ts";

/** The form of an event for clients without a capability, or for programs with a need. */
export interface OlderForm {
  /** One sentence for the reference. */
  readonly about: string;
  /** Other fields of the same type. */
  readonly fields?: EventFields;
  /** Events that replace it. */
  readonly becomes?: readonly EventDeclaration[];
}

export type OlderForms = { readonly [Reason in ClientCapability | ProgramNeed]?: OlderForm };

/** The effect of an event on open polls and on queues, in addition to its delivery. */
export interface QueueEffect {
  /** One queue, all of an account, or all of the organization. */
  readonly queueId?: string;
  readonly userId?: number;
  readonly everybody?: true;
  /**
   * How polls end: with no events, or refused because the account may not poll any more. Unless given, polls continue.
   */
  readonly ends?: "empty" | "refused";
  /** Only polls of queues that listen to all public channels end. */
  readonly endsAllPublic?: true;
  /** The role by which later events are presented to the account. */
  readonly viewerRole?: number;
}

/**
 * How a client applies an event to its snapshot: which field of the answer of `POST /register` changes, and which field of
 * the event has the change.
 */
export type SnapshotChange = { readonly field: string; readonly becomes: string } | ListChange;

type ListChange = {
  readonly list: string;
  /** The field that identifies an item of the list. */
  readonly by: string;
} & (
  | { readonly adds: string }
  | { readonly replaces: string }
  | { readonly merges: string; readonly into: string }
  | { readonly removes: string }
);

/** One event, declared once: its constructor, formats, catalogue and reference page all come from it. */
export interface EventDeclaration<
  Type extends string = string,
  Op extends string | undefined = string | undefined,
  Fields extends EventFields = EventFields,
  Log extends EventFields | undefined = EventFields | undefined,
  Own extends EventShape | undefined = EventShape | undefined,
  Older extends OlderForms = OlderForms,
  To extends Receivers = Receivers,
> {
  readonly type: Type;
  readonly op: Op;
  /** One sentence for the reference. */
  readonly about: string;
  /**
   * The receivers: all active accounts, or the audience that the constructor is given, with a description for the
   * reference.
   */
  readonly to: To;
  readonly receivers?: string;
  /** Fields of the newest form, in addition to `id`, `type` and `op`. */
  readonly fields: Fields;
  /** Fields of the row in the log if they differ: everything that any receiver's form is made from. */
  readonly log: Log;
  /** Fields that differ between receivers. */
  readonly own: Own;
  /** Forms for clients without a capability, and for programs with a need. */
  readonly older: Older;
  /** Delivered only to queues whose `event_types` name it; queues without `event_types` do not get it (events.md §1). */
  readonly optIn?: true;
  /** For gateways only: no client gets it. */
  readonly internal?: true;
  /** No code emits it yet. */
  readonly notServedYet?: true;
  /** Later events are presented with the organization as this event has changed it. */
  readonly changesPresentation?: true;
  /** The change of a client's snapshot, if it is a simple one. */
  readonly snapshot?: SnapshotChange;
  /** Its effect on polls and queues. */
  effect?(payload: PayloadOf<Fields, Log>): QueueEffect | undefined;
  /** Whether queues that listen to all public channels get it, even if their account is not a receiver. */
  forAllPublic?(payload: PayloadOf<Fields, Log>): boolean;
  /** UTF-16 units of the part of a client's event that may be large. */
  weight?(fields: ValuesOf<Fields>): number;
}

export type Receivers = "everybody" | "some";

type PayloadOf<Fields, Log> = ValuesOf<Log extends EventFields ? Log : Fields>;

/** A declaration, which is also the constructor of its events. */
export interface DeclaredEvent<
  Type extends string,
  Op extends string | undefined,
  Fields extends EventFields,
  Log extends EventFields | undefined,
  Own extends EventShape | undefined,
  Older extends OlderForms,
  To extends Receivers,
> extends EventDeclaration<Type, Op, Fields, Log, Own, Older, To> {
  (
    payload: PayloadOf<Fields, Log>,
    ...receivers: To extends "everybody" ? [] : [receivers: ReceiversOf<Own>]
  ): NewEvent;
}

/** The audience, and the fields that differ between receivers: account id → fields. */
export type ReceiversOf<Own> = { readonly audience: Audience } & (Own extends EventShape
  ? { readonly userData?: Readonly<Record<string, Partial<ValuesOf<Own>>>> }
  : unknown);

/** The fields that an event's constructor takes and the log keeps. */
export type LoggedFields<Event extends EventDeclaration> = PayloadOf<Event["fields"], Event["log"]>;

/** The fields that the log may keep for a single receiver. */
export type OwnFieldsOf<Event extends EventDeclaration> = Event["own"] extends EventShape
  ? Partial<ValuesOf<Event["own"]>>
  : undefined;

/** The fields of an event's newest form. */
export type FieldsOf<Event extends EventDeclaration> = ValuesOf<Event["fields"]>;

type Declared<
  Type extends string,
  Op extends string | undefined,
  Fields extends EventFields,
  Log extends EventFields | undefined,
  Own extends EventShape | undefined,
  Older extends OlderForms,
  To extends Receivers,
> = Omit<
  EventDeclaration<Type, Op, Fields, Log, Own, Older, To>,
  "op" | "log" | "own" | "older"
> & {
  readonly op?: Op;
  readonly log?: Log;
  readonly own?: Own;
  readonly older?: Older;
};

/** Declares an event. */
export function event<
  const Type extends string,
  const Fields extends EventFields,
  const To extends Receivers,
  const Op extends string | undefined = undefined,
  const Log extends EventFields | undefined = undefined,
  const Own extends EventShape | undefined = undefined,
  const Older extends OlderForms = Record<never, never>,
>(
  declared: Declared<Type, Op, Fields, Log, Own, Older, To>,
): DeclaredEvent<Type, Op, Fields, Log, Own, Older, To> {
  const { op, log, own, older = {} } = declared;
  const whole = {
    ...declared,
    op: op as Op,
    log: log as Log,
    own: own as Own,
    older: older as Older,
  };
  const make = (payload: Readonly<Record<string, unknown>>, receivers?: ReceiversOf<EventShape>) =>
    new NewEvent(whole, payload, receivers?.audience ?? null, receivers?.userData);
  return Object.assign(make, whole) as DeclaredEvent<Type, Op, Fields, Log, Own, Older, To>;
}
