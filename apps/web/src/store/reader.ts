import type { Client } from "@carillon/client";

const delayMs = 250;
/** Maximum messages that one request marks. */
const most = 1_000;

/** Marks messages as read, several in one request. Those of a failed request are marked with the next ones. */
export class Reader {
  readonly #client: Client;
  readonly #waiting = new Set<number>();
  #isSending = false;

  constructor(client: Client) {
    this.#client = client;
  }

  markRead(ids: Iterable<number>): void {
    for (const id of ids) this.#waiting.add(id);
    if (this.#waiting.size === 0 || this.#isSending) return;
    this.#isSending = true;
    setTimeout(() => void this.#send(), delayMs);
  }

  async #send(): Promise<void> {
    const messages = [...this.#waiting].slice(0, most);
    for (const id of messages) this.#waiting.delete(id);
    try {
      await this.#client.updateMessageFlags({ messages, op: "add", flag: "read" });
    } catch {
      for (const id of messages) this.#waiting.add(id);
    }
    this.#isSending = false;
  }
}
