import type { Message } from "@carillon/client";
import type { Term } from "../route.ts";
import type { Organization } from "../store/organization.ts";
import { matches } from "./matches.ts";
import type { MessageWindow } from "./message-window.ts";

/**
 * Inserts new messages into a view that they match. Those of a task are inserted together: thousands that arrive at once
 * would otherwise be sorted thousands of times.
 */
export class NewMessages {
  readonly #organization: Organization;
  readonly #terms: readonly Term[];
  readonly #shown: MessageWindow;
  #matching: Message[] = [];
  /** Messages of which only the server can tell whether they match. */
  #unknown: Message[] = [];

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
    (isMatch ? this.#matching : this.#unknown).push(message);
  }

  /** Whether new messages still follow those that are shown: the end may have been dropped meanwhile. */
  get #hasEnd(): boolean {
    return !this.#shown.isClosed && this.#shown.hasNewest.value;
  }

  async #insert(): Promise<void> {
    const [matching, unknown] = [this.#matching, this.#unknown];
    this.#matching = [];
    this.#unknown = [];
    if (!this.#hasEnd) return;
    this.#shown.insert(matching);
    if (unknown.length === 0) return;
    try {
      const { messages } = await this.#organization.client.matchNarrow({
        msg_ids: unknown.map(({ id }) => id),
        narrow: this.#terms,
      });
      if (!this.#hasEnd) return;
      const found = unknown.flatMap((message) => {
        const match = messages[message.id];
        return match ? [{ ...message, ...match }] : [];
      });
      this.#shown.insert(found);
    } catch {
      // Without them the list does not end with the newest message: a button leads there.
      this.#shown.hasNewest.value = false;
    }
  }
}
