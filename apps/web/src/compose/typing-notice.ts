import { type Conversation, keyOf } from "../store/conversation.ts";
import type { Organization } from "../store/organization.ts";
import { recipientsOf } from "../store/outbox.ts";

/** Milliseconds after which "is typing" is repeated while typing continues. */
const repeatMs = 10_000;
/** Milliseconds without a key after which typing counts as stopped. */
const restMs = 5_000;

/** Notifies the others of a conversation that the account is writing. */
export class TypingNotice {
  readonly #organization: Organization;
  #told: { readonly conversation: Conversation; readonly at: number } | undefined;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(organization: Organization) {
    this.#organization = organization;
  }

  typed(conversation: Conversation): void {
    const isOther = this.#told && keyOf(this.#told.conversation) !== keyOf(conversation);
    if (isOther) this.stop();
    if (!this.#told || performance.now() - this.#told.at > repeatMs) {
      this.#told = { conversation, at: performance.now() };
      this.#tell("start", conversation);
    }
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.stop(), restMs);
  }

  stop(): void {
    clearTimeout(this.#timer);
    if (this.#told) this.#tell("stop", this.#told.conversation);
    this.#told = undefined;
  }

  #tell(op: "start" | "stop", conversation: Conversation): void {
    const { client, me, settings } = this.#organization;
    const isDirect = "others" in conversation;
    const setting = isDirect ? "private" : "stream";
    if (settings.own.get(`send_${setting}_typing_notifications`) === false) return;
    const { to, ...rest } = recipientsOf(conversation, me);
    const params = isDirect
      ? { ...rest, op, to: to as readonly number[] }
      : { ...rest, op, stream_id: to as number };
    client.setTypingStatus(params, { retries: 0 }).catch(() => {
      // A lost notification does no harm.
    });
  }
}
