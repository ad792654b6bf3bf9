interface QueueDeclaration {
  /** Jobs that run at once in one process. */
  readonly concurrency: number;
  /** The name shown to operators; the queue's own name is used in URLs, metric labels and the store. */
  readonly title: string;
  readonly about: string;
  /** How many jobs all workers together may start within `withinMs` milliseconds. */
  readonly limit?: { readonly jobs: number; readonly withinMs: number };
}

/** The queues. They are separate so that slow work, such as a purge or a slow push service, does not delay messages. */
export const queues = {
  delivery: {
    concurrency: 5,
    title: "Delivery",
    about: "Sends due messages, in batches of one organization each.",
  },
  // A queue of its own: commands must not wait behind pushes, and a burst of commands must not delay due messages.
  commands: {
    concurrency: 4,
    title: "Commands",
    about: "Executes commands to the scheduling bot, and answers them.",
  },
  // Also holds mail. A separate queue for mail would cost each worker one more connection (docs/decisions/030).
  push: {
    concurrency: 20,
    title: "Mail and push planning",
    about:
      "Sends mail, which waits for the network, and decides which accounts get push notifications.",
  },
  bouncer: {
    concurrency: 20,
    title: "Push bouncer",
    about:
      "Calls the push bouncer. The queue is paused while the bouncer does not answer or limits our rate.",
    // The bouncer's rate limit (push.md §4).
    limit: { jobs: 1_000, withinMs: 60_000 },
  },
  // Endpoints of third parties: their calls wait for the network, and must delay nothing else.
  outgoing: {
    concurrency: 50,
    title: "Outgoing webhooks",
    about: "Calls the endpoints of outgoing webhook bots and event subscriptions.",
  },
  // One at a time: each picture takes a processor and up to 1 GiB.
  images: {
    concurrency: 1,
    title: "Images",
    about: "Decodes uploaded pictures, and makes avatars, icons, logos, emoji and thumbnails.",
  },
  maintenance: {
    concurrency: 2,
    title: "Maintenance",
    about: "Cascades, retention and other long work in steps.",
  },
} as const satisfies Record<string, QueueDeclaration>;

export type QueueName = keyof typeof queues;

export const queueNames = Object.keys(queues) as QueueName[];

/** Returns how many jobs of the queue all workers together may start within a time; undefined if there is no limit. */
export function limitOf(queue: QueueName): QueueDeclaration["limit"] {
  const declared: QueueDeclaration = queues[queue];
  return declared.limit;
}
