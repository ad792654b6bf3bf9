import type { Message } from "@carillon/client";
import { batch, signal } from "@preact/signals";
import { reasonOf } from "../reason.ts";
import { operandOf, type Term } from "../route.ts";
import { nextTask } from "../store/next-task.ts";
import type { Organization } from "../store/organization.ts";
import { texts } from "../texts.ts";
import { openingAnchor, openingParams, pageParams, requestMessages } from "./first-request.ts";

/** The loaded messages of a view, in order. */
export interface Loaded {
  readonly ids: readonly number[];
}

export interface MessageDialog {
  readonly kind: "react" | "move" | "remind" | "remove" | "history" | "readers";
  readonly id: number;
}

export type WindowState = "loading" | "ready" | { readonly failed: string };

/** The parts of the organization that a view reads. */
interface Source extends Pick<Organization, "channels" | "messages"> {
  readonly client: Pick<Organization["client"], "getMessages">;
}

/** Messages of one page of history. */
const pageSize = 100;
/** Maximum messages of a window. Beyond it, messages at the farther end are dropped. */
const longest = 2_000;

/**
 * The loaded part of a view's messages. It begins around the message at which the view opens, and grows at both ends.
 * `followEvents` applies events to it.
 */
export class MessageWindow {
  readonly loaded = signal<Loaded>({ ids: [] });
  readonly state = signal<WindowState>("loading");
  readonly hasOldest = signal(false);
  readonly hasNewest = signal(false);
  /** The message at which the view opens; undefined for the end. */
  opensAt: number | undefined;
  /** The message under the line "new messages"; undefined if there was none when the view was opened. */
  readonly firstUnread = signal<number | undefined>(undefined);
  /** The message that is being edited. */
  readonly editing = signal<number | undefined>(undefined);
  /** The dialog that an action on a message has opened. */
  readonly dialog = signal<MessageDialog | undefined>(undefined);
  /** The message that is selected by the keyboard. */
  readonly selected = signal<number | undefined>(undefined);
  /** Messages that the person has marked as unread here: they stay unread until the view is opened again. */
  readonly keptUnread = new Set<number>();
  readonly #organization: Source;
  readonly #terms: readonly Term[];
  readonly #near: number | null;
  #isLoadingOlder = false;
  #isLoadingNewer = false;
  /** Number of requests in progress whose answers go into the view, without `load`. */
  readonly #reads = signal(0);
  /** Number of the latest call of `load`. Answers to earlier calls are dropped. */
  #loads = 0;
  #isClosed = false;

  constructor(organization: Source, terms: readonly Term[], near: number | null) {
    this.#organization = organization;
    this.#terms = terms;
    this.#near = near;
  }

  get isClosed(): boolean {
    return this.#isClosed;
  }

  close(): void {
    this.#isClosed = true;
  }

  /** Whether all messages of the view are loaded. */
  get isWhole(): boolean {
    return this.hasOldest.value && this.hasNewest.value;
  }

  /** Whether messages are being read. The answer may be older than events that arrive before it. */
  get isReading(): boolean {
    return this.state.value === "loading" || this.#reads.value > 0;
  }

  /** Sends a request and applies its answer to the view. `isReading` is true until the answer is applied. */
  async whileReading<T>(request: () => Promise<T>, apply: (answer: T) => void): Promise<void> {
    this.#reads.value++;
    let answer: { readonly value: T } | undefined;
    try {
      answer = { value: await request() };
      // Continues in a new task, because parsing the answer has used a part of this frame's time.
      await nextTask();
    } finally {
      batch(() => {
        if (answer && !this.#isClosed) apply(answer.value);
        this.#reads.value--;
      });
    }
  }

  /** Whether the view shows a channel that the account cannot see or that does not exist. */
  get #isUnseen(): boolean {
    const channelId = operandOf(this.#terms, "channel");
    return typeof channelId === "number" && !this.#organization.channels.byId.get(channelId);
  }

  /** Loads the view anew: around the anchor, which is by default `near`, or else the first unread message. */
  async load(anchor: string = openingAnchor(this.#near)) {
    this.state.value = "loading";
    const load = ++this.#loads;
    const isOutdated = () => this.#isClosed || load !== this.#loads;
    try {
      const params = openingParams(this.#terms, anchor);
      const page = await requestMessages(this.#organization.client, params);
      if (isOutdated()) return;
      // For such a channel the server may answer with an empty list instead of an error.
      if (this.#isUnseen) {
        this.state.value = { failed: texts.messages.noAccess };
        return;
      }
      batch(() => {
        this.hasOldest.value = page.found_oldest;
        this.hasNewest.value = page.found_newest;
        const { anchor: found = Infinity } = page;
        this.opensAt = page.messages.find(({ id }) => id >= found)?.id;
        const firstUnread = page.messages.find(({ flags }) => !flags.includes("read"))?.id;
        this.firstUnread.value = anchor === "first_unread" ? this.opensAt : firstUnread;
        this.selected.value = this.#near === null ? undefined : this.opensAt;
        this.#keep(page.messages);
        const ids = page.messages.map(({ id }) => id);
        this.#organization.messages.keepOnly(new Set(ids));
        this.loaded.value = { ids };
        this.state.value = "ready";
      });
    } catch (error) {
      if (isOutdated()) return;
      this.state.value = { failed: this.#isUnseen ? texts.messages.noAccess : reasonOf(error) };
    }
  }

  async loadOlder(): Promise<void> {
    const [first] = this.loaded.value.ids;
    if (first === undefined || this.hasOldest.value || this.#isLoadingOlder) return;
    this.#isLoadingOlder = true;
    try {
      await this.whileReading(
        () => this.#readBeside(first, { num_before: pageSize, num_after: 0 }),
        (page) => {
          if (this.loaded.value.ids[0] !== first) return;
          this.hasOldest.value = page.found_oldest;
          this.#keep(page.messages);
          const ids = [...page.messages.map(({ id }) => id), ...this.loaded.value.ids];
          this.loaded.value = { ids };
        },
      );
    } catch {
      // The next scroll tries again.
    } finally {
      this.#isLoadingOlder = false;
    }
  }

  async loadNewer(): Promise<void> {
    const last = this.loaded.value.ids.at(-1);
    if (last === undefined || this.hasNewest.value || this.#isLoadingNewer) return;
    this.#isLoadingNewer = true;
    try {
      await this.whileReading(
        () => this.#readBeside(last, { num_before: 0, num_after: pageSize }),
        (page) => {
          if (this.loaded.value.ids.at(-1) !== last) return;
          this.hasNewest.value = page.found_newest;
          this.#append(page.messages);
        },
      );
    } catch {
      // The next scroll tries again.
    } finally {
      this.#isLoadingNewer = false;
    }
  }

  /** Reads the loaded messages again, because the client has missed edits and deletions while it had no event queue. */
  async refresh(): Promise<void> {
    const { ids } = this.loaded.value;
    if (ids.length === 0) {
      await this.load();
      return;
    }
    // More messages may be loaded than one request can name.
    for (let end = ids.length; end > 0; end -= longest) {
      const some = ids.slice(Math.max(0, end - longest), end);
      await this.whileReading(
        () => this.#read(some),
        (messages) => {
          this.#keep(messages);
          const found = new Set(messages.map(({ id }) => id));
          this.remove(new Set(some.filter((id) => !found.has(id))));
        },
      );
    }
  }

  /** Adds those of the messages that match the view and are within its loaded range. */
  async addFound(ids: readonly number[]): Promise<void> {
    await this.whileReading(
      () => this.#read(ids),
      (messages) => {
        const { ids: present } = this.loaded.value;
        const from = this.hasOldest.value ? 0 : (present[0] ?? 0);
        const to = this.hasNewest.value ? Infinity : (present.at(-1) ?? 0);
        this.insert(messages.filter(({ id }) => id >= from && id <= to));
      },
    );
  }

  /** Leaves a message and later ones unread although they are seen. */
  keepUnreadFrom(id: number): void {
    for (const later of this.loaded.value.ids) if (later >= id) this.keptUnread.add(later);
  }

  /** Moves the selection by a number of messages. */
  select(by: number): void {
    const { ids } = this.loaded.value;
    const { value: id = this.opensAt ?? ids.at(-1) } = this.selected;
    const at = id === undefined ? ids.length : ids.indexOf(id);
    const isFirst = this.selected.value === undefined;
    const next = ids[Math.max(0, Math.min(ids.length - 1, isFirst ? at : at + by))];
    this.selected.value = next;
  }

  /**
   * Drops messages beyond the maximum at one end. Keeps those near the first visible message: after a long absence, more than
   * twice the maximum can arrive at once.
   * @param firstVisible the index of the first visible message
   * @param tolerated how many messages beyond the maximum are kept before any are dropped
   */
  trim(end: "start" | "end", firstVisible: number, tolerated = 0): void {
    const { ids } = this.loaded.value;
    const from = end === "end" ? 0 : Math.min(ids.length - longest, firstVisible - pageSize);
    const to = end === "start" ? ids.length : Math.max(longest, firstVisible + pageSize);
    if (ids.length <= longest + tolerated || (from <= 0 && to >= ids.length)) return;
    batch(() => {
      if (end === "start") this.hasOldest.value = false;
      else this.hasNewest.value = false;
      const rest = ids.slice(Math.max(0, from), to);
      this.loaded.value = { ids: rest };
      this.#organization.messages.keepOnly(new Set(rest));
    });
  }

  #keep(messages: readonly Message[]): void {
    for (const message of messages) this.#organization.messages.put(message);
  }

  #append(messages: readonly Message[]): void {
    const { ids } = this.loaded.value;
    const last = ids.at(-1) ?? 0;
    const newer = messages.filter(({ id }) => id > last);
    this.#keep(newer);
    if (newer.length > 0) this.loaded.value = { ids: [...ids, ...newer.map(({ id }) => id)] };
  }

  /** Puts messages in their places. A message may be committed after one with a higher id. */
  insert(messages: readonly Message[]): void {
    this.#keep(messages);
    this.insertStored(messages.map(({ id }) => id));
  }

  /** Puts messages that the store has in their places. */
  insertStored(added: readonly number[]): void {
    const { ids } = this.loaded.value;
    const all = new Set([...ids, ...added]);
    if (all.size > ids.length) this.loaded.value = { ids: [...all].toSorted((a, b) => a - b) };
  }

  /** Removes messages that were deleted or that no longer match the view. */
  remove(gone: ReadonlySet<number>): void {
    const { ids } = this.loaded.value;
    const rest = ids.filter((id) => !gone.has(id));
    if (rest.length < ids.length) this.loaded.value = { ids: rest };
  }

  /** Reads messages next to one. */
  #readBeside(id: number, counts: { readonly num_before: number; readonly num_after: number }) {
    const which = { anchor: String(id), include_anchor: false, ...counts };
    return this.#organization.client.getMessages(pageParams(this.#terms, which));
  }

  /** Reads messages by their ids. The server leaves out messages that do not match the view. */
  async #read(ids: readonly number[]): Promise<readonly Message[]> {
    const params = pageParams(this.#terms, { message_ids: ids });
    return (await this.#organization.client.getMessages(params)).messages;
  }
}
