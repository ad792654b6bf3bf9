import type { Client } from "@carillon/client";

const delayMs = 250;
/** Maximum messages that one request marks. */
const most = 1_000;

/** Marks messages as read, several in one request. Those of a failed request are marked with the next ones. */
export class Reader {
  readonly #client: Client;
  readonly #waiting = new Set<number>();
  #sending: Promise<void> | undefined;

  constructor(client: Client) {
    this.#client = client;
  }

  markRead(ids: Iterable<number>): void {
    for (const id of ids) this.#waiting.add(id);
    if (this.#waiting.size > 0) this.#sending ??= this.#send();
  }

  /**
   * Drops the messages from an id on that were to be marked as read. Resolves when no request is on its way that may still
   * mark them, so that they can be marked as unread.
   */
  async leaveUnread(from: number): Promise<void> {
    this.#dropFrom(from);
    await this.#sending;
    this.#dropFrom(from);
  }

  #dropFrom(from: number): void {
    for (const id of this.#waiting) if (id >= from) this.#waiting.delete(id);
  }

  /** Sends requests until no message waits, or until one fails. */
  async #send(): Promise<void> {
    let failed = false;
    while (this.#waiting.size > 0 && !failed) {
      await new Promise((resolve) => setTimeout(resolve, delayMs));
      const messages = [...this.#waiting].slice(0, most);
      for (const id of messages) this.#waiting.delete(id);
      try {
        if (messages.length > 0)
          await this.#client.updateMessageFlags({ messages, op: "add", flag: "read" });
      } catch {
        for (const id of messages) this.#waiting.add(id);
        failed = true;
      }
    }
    this.#sending = undefined;
  }
}
