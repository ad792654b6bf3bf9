/**
 * The queues. They are apart so that slow work of one kind never delays another:
 * a purge must not hold up a message, nor a slow push service the deliveries.
 */
export const queues = {
  delivery: { concurrency: 5, about: "Sends what is due, in batches of one organization each." },
  push: {
    concurrency: 20,
    about: "Mail, and calls to the push service, each waiting for the network.",
  },
  maintenance: { concurrency: 2, about: "Cascades, retention and other long work in steps." },
} as const;

export type QueueName = keyof typeof queues;

export const queueNames = Object.keys(queues) as QueueName[];
