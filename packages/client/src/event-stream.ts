import { ApiError, isApiError } from "./api-error.ts";
import type { CallOptions } from "./call-options.ts";
import type {
  GetMessagesResult,
  HeartbeatEvent,
  MessageSentEvent,
  Operations,
  RegisterParams,
  ServerEvent,
} from "./generated/api.ts";
import { capabilities } from "./generated/routes.ts";
import { backoffMs, mayBeRepeated, pauseAfter } from "./retries.ts";
import type { Snapshot } from "./snapshot.ts";
import { pause } from "./waiting.ts";

/**
 * The events of an account, kept up across restarts of the server and losses of its queue.
 *
 *     registering ──> fetching missed messages ──> polling ──> waiting after a failure
 *          ^                                        │   ^              │
 *          └───────────── the queue is lost ────────┘   └──────────────┘
 *
 * The first registration fetches nothing. A poll acknowledges the events that were given before it.
 */

/** Milliseconds for a poll: heartbeats come after at most 55 s. */
const pollMs = 90_000;
/** Attempts of the first registration; later ones go on until the signal is aborted. */
const firstAttempts = 6;
/** The longest wait for `Retry-After`, in seconds. */
const longestWait = 300;
/** Messages in one page of missed ones. */
const pageSize = 500;
/**
 * Messages before the newest known one that are read again: a message may be committed, and its event lost, after one
 * with a higher id was given.
 */
const overlap = 50;
/** How many ids of given messages are remembered. */
const remembered = 1_000;

/** A type of events, heartbeats left out: the client consumes them. */
export type EventType = Exclude<ServerEvent, HeartbeatEvent>["type"];

/** A queue has been registered: the beginning of the events, and of what the program knows. */
export interface Registered {
  readonly type: "registered";
  /** The answer of `POST /register`; later events are changes of it. */
  readonly snapshot: Snapshot;
  /** The events that are missing since the previous one; null at the beginning. */
  readonly missed: Missed | null;
}

/** The queue was lost, and with it the events between the last one and the new registration. */
export interface Missed {
  /** The last event before the gap. */
  readonly afterEventId: number;
  /**
   * Whether the missed messages are given next, as `message` events: all of them; not all, because the server cannot be
   * asked for them; or none. Other missed events are lost: the snapshot has what they have changed. `renumbered` also means
   * none: the organization has moved to another installation, where everything has a new id, and ids that the program keeps
   * are unknown.
   */
  readonly messages: "follow" | "follow in part" | "lost" | "renumbered";
}

/** An item of the stream. */
export type StreamEvent<Type extends EventType = EventType> =
  | Registered
  | Extract<ServerEvent, { type: Type }>;

/** How far a program has read. It can be stored as JSON, and resumed after a restart of the program. */
export interface Position {
  readonly queueId: string;
  readonly lastEventId: number;
  /** The newest message; −1 without one. */
  readonly lastMessageId: number;
  /** Missed messages up to this id are still to be fetched; null if none are. */
  readonly missedTo: number | null;
  /** UUID of the organization. It changes when the organization moves to another installation. */
  readonly organization?: string | undefined;
}

/** The parameters of `POST /register`, and what the client does with the queue. */
export interface EventOptions<Type extends EventType = EventType> extends Omit<
  RegisterParams,
  "client_capabilities" | "event_types" | "narrow"
> {
  /** Types of events. By default all, except those that a client must name to get them. */
  readonly event_types?: readonly Type[] | undefined;
  /** Pairs that a `message` event must match. */
  readonly narrow?: readonly (readonly [operator: string, operand: string])[] | undefined;
  /** Goes on where an earlier stream with the same options was. */
  readonly resume?: Position | undefined;
  /** Whether messages that were missed with a lost queue are fetched; `fetch` unless given. */
  readonly missedMessages?: "fetch" | "skip" | undefined;
  /** Ends the stream: its iterator is rejected with the signal's reason. */
  readonly signal?: AbortSignal | undefined;
}

/** The parts of the client that the stream uses. */
interface Caller {
  call<Id extends "register" | "get-events" | "get-messages">(
    id: Id,
    params: Operations[Id]["params"],
    options: CallOptions,
  ): Promise<Operations[Id]["result"]>;
}

/** Events of one queue after the other, each once. It can be read by one loop; several calls of `next` queue up. */
export class EventStream<Type extends EventType = EventType> implements AsyncIterableIterator<
  StreamEvent<Type>,
  void,
  undefined
> {
  readonly #caller: Caller;
  readonly #options: EventOptions<Type>;
  readonly #onRetry: ((error: ApiError, waitMs: number) => void) | undefined;
  readonly #items: AsyncGenerator<StreamEvent<Type>, void, undefined>;
  /** Ids of messages that were given, oldest first. */
  readonly #given = new Set<number>();
  #position: Position | undefined;
  /** Messages up to this one are older than the stream. */
  #oldest: number;
  /** Failures since the last answer, polls without progress, queues lost without a poll that succeeded. */
  #failures = 0;
  #idle = 0;
  #losses = 0;

  constructor(
    caller: Caller,
    options: EventOptions<Type>,
    onRetry?: (error: ApiError, waitMs: number) => void,
  ) {
    this.#caller = caller;
    this.#options = options;
    this.#onRetry = onRetry;
    this.#position = options.resume;
    this.#oldest = options.resume?.lastMessageId ?? -1;
    this.#items = this.#run();
  }

  /** The place behind the last item that was given. Undefined before the first one. */
  get position(): Position | undefined {
    return this.#position;
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  next(): Promise<IteratorResult<StreamEvent<Type>, void>> {
    return this.#items.next();
  }

  /** Ends the stream, once a pending `next` has its answer. The queue stays until its idle time is over. */
  return(): Promise<IteratorResult<StreamEvent<Type>, void>> {
    return this.#items.return();
  }

  async *#run(): AsyncGenerator<StreamEvent<Type>, void, undefined> {
    if (!this.#position) yield await this.#register(null);
    for (;;) {
      const position = this.#known();
      if (position.missedTo !== null) yield* this.#missedMessages(position.missedTo);
      const events = await this.#poll();
      if (events) yield* this.#newOnes(events);
      else yield await this.#register(this.#known());
    }
  }

  #known(): Position {
    if (!this.#position) throw new Error("the stream has no queue yet");
    return this.#position;
  }

  /**
   * Registers an event queue, and says what may have been missed since the lost one.
   * @param before the place in the lost queue; null for the first queue
   */
  async #register(before: Position | null): Promise<Registered> {
    const { resume: _, missedMessages = "fetch", signal, ...params } = this.#options;
    const wantsMessages = this.#wantsMessages();
    const sections = params.fetch_event_types ?? params.event_types;
    const snapshot = await this.#persist(before ? Infinity : firstAttempts, () =>
      this.#caller.call(
        "register",
        {
          ...params,
          // These sections have the id of the newest message and the UUID of the organization.
          ...(sections && {
            fetch_event_types: [...sections, ...(wantsMessages ? ["message"] : []), "realm"],
          }),
          client_capabilities: Object.fromEntries(capabilities.map((name) => [name, true])),
        },
        { signal, retries: 0 },
      ),
    );
    const {
      queue_id: queueId,
      last_event_id: lastEventId,
      max_message_id: newest,
      realm_uuid: uuid,
    } = snapshot;
    if (typeof queueId !== "string" || !isId(lastEventId)) throw badAnswer("register");
    const lastMessageId = isId(newest) ? newest : -1;
    const organization = typeof uuid === "string" ? uuid : before?.organization;
    // A position of an earlier release names no organization. In another installation all messages would be newer.
    const isSame = before !== null && before.organization === organization;
    const isMoved = before?.organization !== undefined && !isSame;
    if (!isSame) {
      this.#oldest = lastMessageId;
      this.#given.clear();
    }
    const follows = isSame && wantsMessages && missedMessages === "fetch";
    this.#position = {
      queueId,
      lastEventId,
      lastMessageId: follows ? before.lastMessageId : lastMessageId,
      missedTo: follows && lastMessageId > -1 ? lastMessageId : null,
      organization,
    };
    const messages: Missed["messages"] = isMoved
      ? "renumbered"
      : !follows
        ? "lost"
        : this.#canAskForAll()
          ? "follow"
          : "follow in part";
    const missed = before && {
      afterEventId: before.lastEventId,
      messages,
    };
    return { type: "registered", snapshot, missed };
  }

  #wantsMessages(): boolean {
    const types: readonly string[] | undefined = this.#options.event_types;
    return !types || types.includes("message");
  }

  /** `GET /messages` has no term for all channels that an account could read, nor for words of a topic. */
  #canAskForAll(): boolean {
    const { all_public_streams: all, narrow = [] } = this.#options;
    return !all && narrow.every(([operator]) => operator !== "topic");
  }

  /** Gives the messages after the newest known one, as events. */
  async *#missedMessages(to: number): AsyncGenerator<StreamEvent<Type>, void, undefined> {
    const { narrow = [], apply_markdown = false, client_gravatar = true, signal } = this.#options;
    let before = overlap;
    for (;;) {
      const { lastMessageId, lastEventId } = this.#known();
      const page: GetMessagesResult = await this.#persist(Infinity, () =>
        this.#caller.call(
          "get-messages",
          {
            anchor: lastMessageId < 0 ? "oldest" : String(lastMessageId),
            num_before: before,
            num_after: pageSize,
            narrow: narrow.map(([operator, operand]) => [
              operator === "exact-topic" ? "topic" : operator,
              operand,
            ]),
            apply_markdown,
            client_gravatar,
            allow_empty_topic_name: true,
          },
          { signal },
        ),
      );
      if (!Array.isArray(page.messages)) throw badAnswer("get-messages");
      before = 0;
      for (const { flags, ...message } of page.messages) {
        const { id } = message;
        if (!isId(id) || id <= this.#oldest || id > to || this.#given.has(id)) continue;
        signal?.throwIfAborted();
        this.#remember(id);
        const event: MessageSentEvent = { id: lastEventId, type: "message", message, flags };
        yield event as StreamEvent<Type>;
      }
      const last = page.messages.at(-1)?.id ?? to;
      const isDone = page.found_newest || last >= to || last <= lastMessageId;
      const known = this.#known();
      this.#position = {
        ...known,
        lastMessageId: Math.max(known.lastMessageId, isDone ? to : last),
        missedTo: isDone ? null : to,
      };
      if (isDone) return;
    }
  }

  /** Gives events that are newer than the last one, without heartbeats. */
  async *#newOnes(
    events: readonly ServerEvent[],
  ): AsyncGenerator<StreamEvent<Type>, void, undefined> {
    for (const event of events) {
      const known = this.#known();
      if (event.id <= known.lastEventId) continue;
      this.#options.signal?.throwIfAborted();
      this.#position = { ...known, lastEventId: event.id };
      if (event.type === "heartbeat") continue;
      if (event.type === "message") {
        if (this.#given.has(event.message.id)) continue;
        this.#remember(event.message.id);
      }
      yield event as StreamEvent<Type>;
    }
  }

  #remember(messageId: number): void {
    this.#given.add(messageId);
    const [oldest = messageId] = this.#given;
    if (this.#given.size > remembered) this.#given.delete(oldest);
    const known = this.#known();
    if (messageId > known.lastMessageId) this.#position = { ...known, lastMessageId: messageId };
  }

  /** Asks for events. @returns undefined if the queue is lost */
  async #poll(): Promise<readonly ServerEvent[] | undefined> {
    const { signal } = this.#options;
    try {
      const { events } = await this.#persist(Infinity, () => this.#askOnce());
      this.#losses = 0;
      const isProgress = events.some(({ id }) => id > this.#known().lastEventId);
      // Another poll of the same queue ends this one at once, and would be ended by the next.
      if (!isProgress) await pause(backoffMs(this.#idle++, undefined), signal);
      else this.#idle = 0;
      return events;
    } catch (error) {
      const isLost =
        isApiError(error, "BAD_EVENT_QUEUE_ID") ||
        // An event of a database that was restored from an older backup; of a new queue it is our fault.
        (isApiError(error, "BAD_REQUEST") && this.#losses === 0);
      if (!isLost) throw error;
      if (this.#losses > 0) await pause(backoffMs(this.#losses, undefined), signal);
      this.#losses++;
      return undefined;
    }
  }

  async #askOnce(): Promise<{ events: readonly ServerEvent[] }> {
    const { queueId, lastEventId } = this.#known();
    const answer = await this.#caller.call(
      "get-events",
      { queue_id: queueId, last_event_id: lastEventId },
      { signal: this.#options.signal, retries: 0, timeoutMs: pollMs },
    );
    const events: unknown = answer.events;
    if (!Array.isArray(events) || !events.every(isEvent)) throw badAnswer("get-events");
    return { events };
  }

  /** Repeats a request that does no harm, with growing waits. */
  async #persist<T>(attempts: number, request: () => Promise<T>): Promise<T> {
    for (;;) {
      try {
        const answer = await request();
        this.#failures = 0;
        return answer;
      } catch (error) {
        if (!(error instanceof ApiError) || !mayBeRepeated(error, true)) throw error;
        if (++this.#failures >= attempts) throw error;
        const { retryAfter } = error;
        const seconds = retryAfter === undefined ? undefined : Math.min(retryAfter, longestWait);
        const waitMs = backoffMs(this.#failures - 1, seconds);
        this.#onRetry?.(error, waitMs);
        await pauseAfter(error, waitMs, this.#options.signal);
      }
    }
  }
}

function isId(value: unknown): value is number {
  return Number.isSafeInteger(value);
}

function isEvent(value: unknown): value is ServerEvent {
  if (typeof value !== "object" || value === null) return false;
  const { id, type, message } = value as Partial<MessageSentEvent>;
  return isId(id) && typeof type === "string" && (type !== "message" || isId(message?.id));
}

function badAnswer(operation: string): ApiError {
  const message = "the answer is not one of the server";
  return new ApiError({ operation, code: "BAD_ANSWER", status: 200, message });
}
