import { computed, signal } from "@preact/signals";
import { operandOf, type Term } from "../route.ts";
import { storage } from "../storage.ts";
import { type Conversation, othersOf } from "../store/conversation.ts";
import { namesOf } from "../store/conversation-names.ts";
import { type KeptText, readKeptText } from "../store/kept-text.ts";
import type { Organization } from "../store/organization.ts";
import { DraftKeeper } from "./draft-keeper.ts";

/**
 * The message that is being written in a view, and its destination. Stores the text in the browser at each change, and as a
 * draft on the server when typing pauses. Two tabs with the same view show the same text, so that neither overwrites what the
 * person has typed in the other.
 */
export class ComposeState {
  readonly channelId = signal<number | undefined>(undefined);
  readonly topic = signal("");
  /** The others of a direct conversation; undefined for a channel. */
  readonly others = signal<readonly number[] | undefined>(undefined);
  /** Whether the view is not one direct conversation, so that a message of it may go elsewhere. */
  readonly canChangePlace: boolean;
  readonly content = signal("");
  /** The text box, while the view is open. */
  box: HTMLTextAreaElement | null = null;
  /** Counts the requests to move the focus into the box. */
  readonly focusRequests = signal(0);
  readonly conversation = computed<Conversation | undefined>(() => {
    if (this.others.value) return { others: this.others.value };
    if (this.channelId.value === undefined) return undefined;
    return { channelId: this.channelId.value, topic: this.topic.value.trim() };
  });
  readonly #organization: Organization;
  readonly #storageKey: string;
  readonly #drafts: DraftKeeper;
  readonly #ends = new AbortController();

  /** @param key the address of the view */
  constructor(organization: Organization, terms: readonly Term[], key: string) {
    this.#organization = organization;
    const view = `${organization.site}:${organization.me}:${key}`;
    this.#storageKey = `compose:${view}`;
    this.#drafts = new DraftKeeper(organization, `draft:${view}`);
    this.canChangePlace = operandOf(terms, "dm") === undefined;
    this.#go(terms);
    this.#restore();
    storage.listen(this.#storageKey, (changed) => this.#follow(changed), this.#ends.signal);
  }

  write(content: string): void {
    this.content.value = content;
    if (content === "") storage.remove(this.#storageKey);
    else {
      const conversation = this.conversation.value;
      const names = conversation && namesOf(conversation, this.#organization);
      storage.write(this.#storageKey, { content, names } satisfies KeptText);
    }
    this.#drafts.keep(this.conversation.value, content);
  }

  /** The caret's place in the box, also while the box lacks the focus or is hidden. */
  get caret(): number {
    return this.box?.selectionEnd ?? this.content.value.length;
  }

  /** Inserts a text at a place. A caret at that place moves behind the text; another caret stays between the same words. */
  insert(text: string, place: number): void {
    const { value } = this.content;
    const isHere = this.box?.selectionStart === place && this.box.selectionEnd === place;
    this.box?.setRangeText(text, place, place, isHere ? "end" : "preserve");
    this.write(value.slice(0, place) + text + value.slice(place));
  }

  /** Writes the next message to a conversation. */
  replyTo(conversation: Conversation): void {
    if ("others" in conversation) this.others.value = conversation.others;
    else {
      this.others.value = undefined;
      this.channelId.value = conversation.channelId;
      this.topic.value = conversation.topic;
    }
    this.focus();
  }

  focus(): void {
    this.focusRequests.value++;
  }

  /** Empties the box once its text is sent or scheduled. */
  clear(): void {
    this.content.value = "";
    storage.remove(this.#storageKey);
    this.#drafts.drop();
  }

  close(): void {
    this.#ends.abort();
    this.#drafts.close();
  }

  #go(terms: readonly Term[]): void {
    const people = operandOf(terms, "dm");
    const channelId = operandOf(terms, "channel");
    if (typeof people === "object") this.others.value = othersOf(people, this.#organization.me);
    if (typeof channelId === "number") this.channelId.value = channelId;
    this.topic.value = String(operandOf(terms, "topic") ?? "");
  }

  /** Shows what another tab has written in this view. */
  #follow(changed: string): void {
    if (changed !== this.#storageKey) return;
    this.#drafts.forgetChange();
    this.content.value = readKeptText(changed)?.content ?? "";
  }

  #restore(): void {
    const conversation = this.conversation.value;
    const kept = readKeptText(this.#storageKey)?.content;
    this.content.value = kept ?? (conversation && this.#drafts.adopt(conversation)) ?? "";
  }
}
