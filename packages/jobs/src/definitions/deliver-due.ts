import { z } from "zod";
import { job } from "../job.ts";
import { backoff } from "../retry.ts";

const payload = z
  .strictObject({
    realmId: z.int().positive(),
    /** The second, in unix time, whose due messages it looks for; it takes earlier ones too. 0 where a delivery goes on. */
    second: z.int().nonnegative(),
    /** With `version`, of the message that was due too soon for the alarm of its second. */
    scheduledMessageId: z.int().positive().optional(),
    version: z.int().positive().optional(),
    /** Makes an id of its own where the plain one may be taken: a continuation, an early alarm, a sweep. */
    tick: z.int().nonnegative().optional(),
  })
  .refine((given) => (given.scheduledMessageId === undefined) === (given.version === undefined), {
    message: "scheduledMessageId and version must come together",
    path: ["version"],
  });

export type DeliverDue = z.infer<typeof payload>;

/** Batches of a long turn, about a second of work where nothing else is to do. */
export const batchesPerTurn = 14;

/** Organizations that a process works through in long turns at a time; those of others end sooner. */
export const longTurns = 2;

/** Batches that an organization has in any case when its alarm comes: 300 messages. When it goes on it has one, of 500. */
export const batchesAtFirst = 2;

/** Bytes of text that an organization sends in any case when its alarm comes; 40,000 take 40 ms to read. */
export const bytesAtFirst = 40_000;

/**
 * The job in which a delivery goes on that has gone well so far.
 * @param tick milliseconds, which make its id its own
 */
export function continuation(realmId: number, tick: number): DeliverDue {
  return { realmId, second: 0, tick };
}

/** Whether it is the job of a {@link continuation}. */
export function isContinuation({ second, tick }: DeliverDue): boolean {
  return second === 0 && tick !== undefined;
}

/**
 * An alarm, never the truth: it says "look at what is due in this organization now".
 * One for each organization and second, however many messages are due then.
 * It is gone as soon as it has run, so that its id can be added again: a kept one would swallow the addition.
 */
export const deliverDue = job({
  name: "deliver-due",
  queue: "delivery",
  about:
    "Sends the scheduled messages of one organization that are due. " +
    `After ${batchesPerTurn} batches it goes on in another job, behind all others that wait; after ${batchesAtFirst} ` +
    `or ${bytesAtFirst} bytes of text, and one batch each time it goes on, where ${longTurns} organizations of the ` +
    "process have more due already. Where it may have failed before it begins with few messages, and counts each try in their rows.",
  payload,
  key: ({ realmId, second, scheduledMessageId, version, tick }) =>
    `deliver-due-${realmId}-${second}` +
    (scheduledMessageId === undefined ? "" : `-${scheduledMessageId}-v${version}`) +
    (tick === undefined ? "" : `-t${tick}`),
  // Past these attempts the sweep takes over: it adds the work again for as long as a row is due.
  retry: backoff({ attempts: 8, first: "500ms", cap: "15s", jitter: 0.5 }),
  deadline: "20s",
});

/** How near, in milliseconds, a message is due "too soon": the alarm of its second may be running already. */
export const tooSoonMs = 2_000;
