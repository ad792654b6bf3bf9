import { Client, ApiError, type EventStream, type Snapshot } from "@carillon/client";
import { batch, type ReadonlySignal, signal } from "@preact/signals";
import type { TimeStyle } from "../time/words.ts";
import { Channels } from "./channels.ts";
import type { Connection } from "./connection.ts";
import { Conversations } from "./conversations.ts";
import { eventTypes, type Item, type OrganizationEvent, sections } from "./events.ts";
import { EmojiNames } from "./emoji.ts";
import { inSlices } from "./in-slices.ts";
import { Groups } from "./groups.ts";
import { Messages } from "./messages.ts";
import { Outbox } from "./outbox.ts";
import { whenOnline } from "./online.ts";
import { Notices } from "./notices.ts";
import { People } from "./people.ts";
import { Plans } from "./plans.ts";
import { Presence } from "./presence.ts";
import { Reader } from "./reader.ts";
import { reportPresence } from "./report-presence.ts";
import { ServerClock } from "./server-clock.ts";
import { Settings } from "./settings.ts";
import { Silence } from "./silence.ts";
import { Statuses } from "./statuses.ts";
import { timeStyleOf } from "./time-style.ts";
import { TopicPolicies } from "./topic-policies.ts";
import { Typing } from "./typing.ts";
import { Unread } from "./unread.ts";

export interface Credentials {
  readonly site: string;
  readonly email: string;
  readonly apiKey: string;
  readonly userId: number;
}

/** Called with every item of the event stream after the store has applied it. */
export type Listener = (item: Item) => void;

/** The data of the organization of one signed-in account. Views read its signals, and change it through its client. */
export class Organization {
  readonly client: Client;
  readonly site: string;
  /** The account's own id. */
  readonly me: number;
  readonly connection = signal<Connection>("connecting");
  readonly people = new People();
  readonly channels = new Channels();
  readonly groups = new Groups();
  readonly messages = new Messages();
  readonly plans = new Plans();
  readonly emoji = new EmojiNames();
  readonly statuses = new Statuses();
  readonly presence = new Presence();
  readonly settings = new Settings();
  readonly clock = new ServerClock();
  readonly topicPolicies = new TopicPolicies();
  readonly timeStyle: ReadonlySignal<TimeStyle>;
  readonly notices = new Notices();
  readonly credentials: Credentials;
  readonly conversations: Conversations;
  readonly unread: Unread;
  readonly typing: Typing;
  readonly reader: Reader;
  readonly outbox: Outbox;
  /** The event queue, which `local_message_id` is sent to. */
  readonly queueId = signal<string | undefined>(undefined);
  readonly #silence = new Silence(this.connection);
  readonly #listeners = new Set<Listener>();
  #items: EventStream<(typeof eventTypes)[number]> | undefined;
  #onRegistered = () => {};
  #isChecking = false;
  readonly #ending = new AbortController();

  constructor(credentials: Credentials) {
    const { site, email, apiKey, userId } = credentials;
    this.credentials = credentials;
    this.site = site;
    this.me = userId;
    this.conversations = new Conversations(userId);
    this.unread = new Unread(userId);
    this.typing = new Typing(userId);
    this.timeStyle = timeStyleOf(this.people, this.settings, userId);
    this.client = new Client({
      site,
      email,
      apiKey,
      clientName: "website",
      fetch: (url, init) => this.#fetch(url, init),
      onRetry: ({ status }) => {
        const { value } = this.connection;
        if (status === 0 && value !== "refused") this.connection.value = "offline";
      },
    });
    this.reader = new Reader(this.client);
    this.outbox = new Outbox(this);
  }

  /**
   * Follows the events until `stop`, or until the server refuses the key.
   * @param onRegistered called when the answer to the first registration begins: the server has the queue then. Called
   * again if that answer breaks off, and the client registers another queue.
   */
  async start(onRegistered: () => void): Promise<void> {
    this.#onRegistered = onRegistered;
    const { signal } = this.#ending;
    this.outbox.start(signal);
    while (!signal.aborted && this.connection.value !== "refused") await this.#follow(signal);
  }

  /** Sends a request, and updates the state of the connection. */
  async #fetch(url: string, init: RequestInit): Promise<Response> {
    // A poll waits for events, and an upload may take minutes.
    const isQuick = !url.includes("/api/v1/events?") && !(init.body instanceof FormData);
    const answer = fetch(url, init);
    const response = await (isQuick ? this.#silence.watch(answer, init.signal) : answer);
    if (response.status === 401) void this.#checkKey();
    if (response.ok && this.queueId.value === undefined && url.endsWith("/api/v1/register"))
      this.#onRegistered();
    const { value } = this.connection;
    if (value === "offline" || value === "silent")
      this.connection.value = this.queueId.value === undefined ? "connecting" : "live";
    return response;
  }

  /** Checks whether the server still accepts the key, after it has answered a request with 401. */
  async #checkKey(): Promise<void> {
    if (this.#isChecking) return;
    this.#isChecking = true;
    try {
      await this.client.getOwnUser({}, { signal: this.#ending.signal });
    } catch (error) {
      if (error instanceof ApiError && error.status === 401) this.connection.value = "refused";
    } finally {
      this.#isChecking = false;
    }
  }

  async #follow(signal: AbortSignal): Promise<void> {
    try {
      this.#items = this.client.events({
        // After a failure, resumes at the last event, so that the client misses none.
        resume: this.#items?.position,
        event_types: eventTypes,
        fetch_event_types: sections,
        apply_markdown: true,
        client_gravatar: false,
        slim_presence: true,
        signal,
      });
      await inSlices(this.#items, (slice) =>
        batch(() => {
          for (const item of slice) this.#tryTake(item);
        }),
      );
    } catch (error) {
      if (signal.aborted) return;
      const isRefused = error instanceof ApiError && (error.status === 401 || error.status === 403);
      this.connection.value = isRefused ? "refused" : "offline";
      if (!isRefused) await whenOnline(this.connection, signal);
    }
  }

  stop(): void {
    this.#ending.abort(new Error("signed out"));
  }

  /** @returns a function that ends the listening */
  listen(listener: Listener): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Takes an item. One that cannot be applied does not keep the others of its slice from being applied. */
  #tryTake(item: Item): void {
    try {
      this.#take(item);
    } catch (error) {
      reportError(error);
    }
  }

  #take(item: Item): void {
    if (item.type === "registered") {
      if (this.queueId.value === undefined) reportPresence(this, this.#ending.signal);
      this.#load(item.snapshot);
    } else this.#apply(item);
    this.connection.value = "live";
    this.outbox.take(item);
    for (const listener of this.#listeners) listener(item);
  }

  get #areas() {
    return [
      this.people,
      this.presence,
      this.statuses,
      this.channels,
      this.groups,
      this.topicPolicies,
      this.conversations,
      this.plans,
      this.settings,
      this.clock,
      this.emoji,
      this.unread,
    ];
  }

  #load(snapshot: Snapshot): void {
    this.queueId.value = snapshot.queue_id;
    for (const area of this.#areas) area.load(snapshot);
  }

  #apply(event: OrganizationEvent): void {
    for (const area of this.#areas) area.apply(event);
    this.messages.apply(event);
    this.typing.apply(event);
  }
}
