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
  #matching: Message[] = [];
  /** Messages for which the server has to decide whether they match. */
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

  /** Whether the view is open and still has the newest message; `trim` may have dropped the end in the meantime. */
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
      // The list lacks these messages, so it shows the button that loads the newest ones.
      this.#shown.hasNewest.value = false;
    }
  }
}
