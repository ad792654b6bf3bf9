import { waitFor, type GatewayClient } from "@carillon/testkit";
import { expect } from "chai";

interface Event {
  readonly id: number;
  readonly type: string;
  readonly message?: { readonly content: string };
}

/** An account that writes to itself through either gateway, and receives its messages through one event queue. */
export class Correspondence {
  readonly #wanted: string[] = [];
  readonly #heard: string[] = [];
  #queue = "";
  #last = -1;
  #self = 0;

  async open(client: GatewayClient): Promise<void> {
    const me = await client.get("/api/v1/users/me");
    this.#self = Number(me.body["user_id"]);
    const answer = await client.post("/api/v1/register", { event_types: ["message"] });
    this.#queue = String(answer.body["queue_id"]);
    this.#last = Number(answer.body["last_event_id"]);
  }

  /** @param inSeconds when the messages are due; without it they are sent at once, as plain messages */
  async write(
    client: GatewayClient,
    title: string,
    count: number,
    inSeconds?: number,
  ): Promise<void> {
    for (let n = 1; n <= count; n++) {
      const content = `${title} ${n}`;
      const at =
        inSeconds === undefined
          ? {}
          : { scheduled_delivery_timestamp: Math.floor(Date.now() / 1_000) + inSeconds };
      const path = inSeconds === undefined ? "/api/v1/messages" : "/api/v1/scheduled_messages";
      const answer = await client.post(path, { type: "direct", to: [this.#self], content, ...at });
      expect(answer.status, answer.text).to.equal(200);
      this.#wanted.push(content);
    }
  }

  /** Waits until the queue has received every message whose text begins with the title. */
  async hear(client: GatewayClient, title: string): Promise<void> {
    const missing = () =>
      this.#wanted.filter((text) => text.startsWith(title) && !this.#heard.includes(text));
    await waitFor(
      async () => {
        const answer = await client.get("/api/v1/events", {
          queue_id: this.#queue,
          last_event_id: this.#last,
          dont_block: true,
        });
        expect(answer.status, answer.text).to.equal(200);
        for (const event of answer.body["events"] as Event[]) {
          expect(event.id).to.be.greaterThan(this.#last);
          this.#last = event.id;
          if (event.message) this.#heard.push(event.message.content);
        }
        return missing().length === 0;
      },
      { what: `${title} is heard of`, timeoutMs: 150_000, everyMs: 100 },
    );
  }

  /** Expects that each written message was received once and exists once. */
  async expectOnce(client: GatewayClient): Promise<void> {
    const wanted = this.#wanted.toSorted();
    expect(this.#heard.toSorted()).to.deep.equal(wanted);
    const answer = await client.get("/api/v1/messages", {
      anchor: "newest",
      num_before: 1_000,
      num_after: 0,
      apply_markdown: false,
      narrow: [{ operator: "sender", operand: this.#self }],
    });
    const kept = (answer.body["messages"] as Array<{ content: string }>).map(
      ({ content }) => content,
    );
    expect(kept.toSorted()).to.deep.equal(wanted);
  }
}
