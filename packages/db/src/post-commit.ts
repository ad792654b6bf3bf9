/**
 * A kind of message that transactions publish once they have committed. Declared once, by the package that owns what
 * the message is about.
 */
export class PostCommitTopic<Message> {
  /** For the compiler only: what a message of this topic carries. */
  declare readonly message: Message;

  constructor(readonly name: string) {}
}

/** Handles one message after the commit; must neither throw nor take time. */
export type PostCommitSubscriber<Message> = (message: Message) => void;

/**
 * Delivers what transactions publish after their commit to the subscribers of this process. A message is only a hint: the
 * process may die between commit and delivery, so recurring work must look at the rows too (docs/decisions/001).
 */
export class PostCommitBus {
  readonly #subscribers = new Map<PostCommitTopic<unknown>, Set<PostCommitSubscriber<never>>>();

  /** Calls `subscriber` with every message of the topic until the returned function is called. */
  subscribe<Message>(
    topic: PostCommitTopic<Message>,
    subscriber: PostCommitSubscriber<Message>,
  ): () => void {
    const subscribers = this.#subscribers.get(topic) ?? new Set();
    this.#subscribers.set(topic, subscribers.add(subscriber));
    return () => void subscribers.delete(subscriber);
  }

  /** Delivers the message. Code with a transaction calls `Tx.publishAfterCommit` instead. */
  publish<Message>(topic: PostCommitTopic<Message>, message: Message): void {
    const subscribers = this.#subscribers.get(topic) as
      | Set<PostCommitSubscriber<Message>>
      | undefined;
    if (subscribers) for (const subscriber of subscribers) subscriber(message);
  }
}
