import type { Message } from "@carillon/client";
import type { Term } from "../route.ts";
import type { Organization } from "../store/organization.ts";
import { matches } from "./matches.ts";
import type { MessageWindow } from "./message-window.ts";

/**
 * Inserts new messages into a view if they match it. Inserts all messages of one task together, because each insertion sorts
 * the whole list.
 */
export class NewMessages {
  readonly #organization: Organization;
  readonly #terms: readonly Term[];
  readonly #shown: MessageWindow;
  #matching: number[] = [];
  /** Messages for which the server has to decide whether they match. */
  #unknown: number[] = [];

  constructor(organization: Organization, terms: readonly Term[], shown: MessageWindow) {
    this.#organization = organization;
    this.#terms = terms;
    this.#shown = shown;
  }

  add(message: Message): void {
    if (!this.#shown.hasNewest.value) return;
    const isMatch = matches(message, this.#terms, this.#organization.me);
    if (isMatch === false) return;
    if (this.#matching.length + this.#unknown.length === 0)
      queueMicrotask(() => void this.#insert());
    // Stored at once, because the next event of the same answer may change or delete the message.
    this.#organization.messages.put(message);
    (isMatch ? this.#matching : this.#unknown).push(message.id);
  }

  /** Whether the view is open and still has the newest message; `trim` may have dropped the end in the meantime. */
  get #hasEnd(): boolean {
    return !this.#shown.isClosed && this.#shown.hasNewest.value;
  }

  async #insert(): Promise<void> {
    const [matching, unknown] = [this.#matching, this.#unknown];
    this.#matching = [];
    this.#unknown = [];
    if (!this.#hasEnd) return;
    this.#shown.insertStored(matching.filter((id) => this.#stillMatches(id)));
    if (unknown.length === 0) return;
    try {
      await this.#shown.whileReading(
        () => this.#organization.client.matchNarrow({ msg_ids: unknown, narrow: this.#terms }),
        ({ messages: found }) => {
          if (!this.#hasEnd) return;
          const stored = unknown.flatMap((id) => this.#organization.messages.get(id)?.peek() ?? []);
          this.#shown.insert(
            stored.flatMap((message) => {
              const match = found[message.id];
              return match ? [{ ...message, ...match }] : [];
            }),
          );
        },
      );
    } catch {
      // The list lacks these messages, so it shows the button that loads the newest ones.
      this.#shown.hasNewest.value = false;
    }
  }

  /** Whether later events have neither deleted the message nor moved it out of the view. */
  #stillMatches(id: number): boolean {
    const message = this.#organization.messages.get(id)?.peek();
    return message !== undefined && matches(message, this.#terms, this.#organization.me) !== false;
  }
}
