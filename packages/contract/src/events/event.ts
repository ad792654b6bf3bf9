import type { ProgramNeed } from "../program-needs.ts";
import type { ClientCapability } from "./capabilities.ts";
import type { EventFields, EventShape, ValuesOf } from "./fields.ts";
import { type Audience, NewEvent } from "./new-event.ts";

/** What clients get that lack a capability, or whose program needs something older. */
export interface OlderForm {
  /** In a sentence, for the reference. */
  readonly about: string;
  /** Other fields of the same type. */
  readonly fields?: EventFields;
  /** Other events in its place. */
  readonly becomes?: readonly EventDeclaration[];
}

export type OlderForms = { readonly [Reason in ClientCapability | ProgramNeed]?: OlderForm };

/** What an event does to open polls and to queues, whatever it tells clients. */
export interface QueueEffect {
  /** One queue, or all of an account. */
  readonly queueId?: string;
  readonly userId?: number;
  /** How polls end: with nothing, or because the account may not poll any more. They go on unless given. */
  readonly ends?: "empty" | "refused";
  /** Only polls of queues that listen to all public channels end. */
  readonly endsAllPublic?: true;
  /** What the account sees by from here on, its role: what follows is presented for it. */
  readonly sight?: number;
}

/**
 * How a client that keeps its snapshot up to date applies an event: to which field of the answer of `POST /register`, and
 * which field of the event says what.
 */
export type SnapshotChange = { readonly field: string; readonly becomes: string } | ListChange;

type ListChange = {
  readonly list: string;
  /** The field that tells the items of the list apart. */
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
  /** What it says, in a sentence. */
  readonly about: string;
  /** Who is told: everybody, which are all active accounts, or those whom the change names; with words for the reference. */
  readonly to: To;
  readonly receivers?: string;
  /** What clients with all capabilities and without needs get, besides `id`, `type` and `op`. */
  readonly fields: Fields;
  /** What the log keeps, where that is something else: all that every receiver's form is made of. */
  readonly log: Log;
  /** What differs between receivers, by exception. */
  readonly own: Own;
  /** What clients without a capability get, and programs with a need. */
  readonly older: Older;
  /** For gateways only: no client is told. */
  readonly internal?: true;
  /** Nothing emits it yet. */
  readonly notServedYet?: true;
  /** Events that follow are presented with what this one has changed of the organization. */
  readonly changesPresentation?: true;
  /** What it changes of the snapshot, where that is simple. */
  readonly snapshot?: SnapshotChange;
  /** What it does to polls and queues. */
  effect?(payload: PayloadOf<Fields, Log>): QueueEffect | undefined;
  /** Whether queues that listen to all public channels get it, without regard to the receivers. */
  forAllPublic?(payload: PayloadOf<Fields, Log>): boolean;
  /** UTF-16 units of the part of a client's event that may be large. */
  weight?(fields: ValuesOf<Fields>): number;
}

export type Receivers = "everybody" | "some";

type PayloadOf<Fields, Log> = ValuesOf<Log extends EventFields ? Log : Fields>;

/** A declaration, which makes events when it is called. */
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
    ...receivers: To extends "everybody" ? [] : [told: Told<Own>]
  ): NewEvent;
}

/** Who is told, and what differs between them: account id → fields. */
export type Told<Own> = { readonly audience: Audience } & (Own extends EventShape
  ? { readonly userData?: Readonly<Record<string, Partial<ValuesOf<Own>>>> }
  : unknown);

/** What the log keeps of an event: what its constructor takes. */
export type LoggedFields<Event extends EventDeclaration> = PayloadOf<Event["fields"], Event["log"]>;

/** What the log may keep for a receiver of its own. */
export type OwnFieldsOf<Event extends EventDeclaration> = Event["own"] extends EventShape
  ? Partial<ValuesOf<Event["own"]>>
  : undefined;

/** What clients with all capabilities and without needs get of an event. */
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
  const make = (payload: Readonly<Record<string, unknown>>, told?: Told<EventShape>) =>
    new NewEvent(whole, payload, told?.audience ?? null, told?.userData);
  return Object.assign(make, whole) as DeclaredEvent<Type, Op, Fields, Log, Own, Older, To>;
}
