interface QueueDeclaration {
  /** Jobs at once in one process. */
  readonly concurrency: number;
  /** What operators read wherever the queue is shown; the name stays in addresses, labels of metrics and the store. */
  readonly title: string;
  readonly about: string;
  /** All workers together begin no more jobs within the time, in milliseconds. */
  readonly limit?: { readonly jobs: number; readonly withinMs: number };
}

/**
 * The queues. They are apart so that slow work of one kind never delays another:
 * a purge must not hold up a message, nor a slow push service the deliveries.
 */
export const queues = {
  delivery: {
    concurrency: 5,
    title: "Delivery",
    about: "Sends what is due, in batches of one organization each.",
  },
  // Holds mail too. A queue of its own for mail would cost each worker one more connection (docs/decisions/030).
  push: {
    concurrency: 20,
    title: "Mail and push planning",
    about: "Sends mail, which waits for the network, and finds out who gets push notifications.",
  },
  bouncer: {
    concurrency: 20,
    title: "Push bouncer",
    about:
      "Calls of the push bouncer. Nobody is called while it does not answer, or has enough of us.",
    // The bouncer allows so many (push.md §4).
    limit: { jobs: 1_000, withinMs: 60_000 },
  },
  maintenance: {
    concurrency: 2,
    title: "Maintenance",
    about: "Cascades, retention and other long work in steps.",
  },
} as const satisfies Record<string, QueueDeclaration>;

export type QueueName = keyof typeof queues;

export const queueNames = Object.keys(queues) as QueueName[];

/** How many jobs of the queue all workers together begin within a time; undefined where there is no limit. */
export function limitOf(queue: QueueName): QueueDeclaration["limit"] {
  const declared: QueueDeclaration = queues[queue];
  return declared.limit;
}
