interface QueueDeclaration {
  /** Jobs at once in one process. */
  readonly concurrency: number;
  readonly about: string;
  /** All workers together begin no more jobs within the time, in milliseconds. */
  readonly limit?: { readonly jobs: number; readonly withinMs: number };
}

/**
 * The queues. They are apart so that slow work of one kind never delays another:
 * a purge must not hold up a message, nor a slow push service the deliveries.
 */
export const queues = {
  delivery: { concurrency: 5, about: "Sends what is due, in batches of one organization each." },
  push: {
    concurrency: 20,
    about: "Mail, which waits for the network, and who gets push notifications.",
  },
  bouncer: {
    concurrency: 20,
    about:
      "Calls of the push bouncer. Nobody is called while it does not answer, or has enough of us.",
    // The bouncer allows so many (push.md §4).
    limit: { jobs: 1_000, withinMs: 60_000 },
  },
  maintenance: { concurrency: 2, about: "Cascades, retention and other long work in steps." },
} as const satisfies Record<string, QueueDeclaration>;

export type QueueName = keyof typeof queues;

export const queueNames = Object.keys(queues) as QueueName[];

/** How many jobs of the queue all workers together begin within a time; undefined where there is no limit. */
export function limitOf(queue: QueueName): QueueDeclaration["limit"] {
  const declared: QueueDeclaration = queues[queue];
  return declared.limit;
}
