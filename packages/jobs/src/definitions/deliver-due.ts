import * as z from "zod";
import { job } from "../job.ts";
import { backoff } from "../retry.ts";

const payload = z
  .strictObject({
    realmId: z.int().positive(),
    /** The UNIX second whose due messages are delivered, together with all earlier ones; 0 in a continuation. */
    second: z.int().nonnegative(),
    /** Set with `version`: the message that was due too soon to share the job of its second. */
    scheduledMessageId: z.int().positive().optional(),
    version: z.int().positive().optional(),
    /**
     * Makes the job's id unique when a job with the plain id may exist: in continuations, repeated early jobs, jobs of the
     * sweep.
     */
    tick: z.int().nonnegative().optional(),
  })
  .refine((given) => (given.scheduledMessageId === undefined) === (given.version === undefined), {
    message: "scheduledMessageId and version must come together",
    path: ["version"],
  });

export type DeliverDue = z.infer<typeof payload>;

/** Batches after which a delivery continues in another job: about a second of work on an idle machine. */
export const batchesPerJob = 14;

/**
 * Maximum number of organizations that a process delivers in long runs, of up to {@link batchesPerJob} batches, at the same
 * time. Jobs of other organizations end sooner.
 */
export const longRunsAtOnce = 2;

/**
 * Batches that a job may take without a long run: 100 messages at first, 500 in a continuation. When many organizations
 * have messages due in one second, the last of them waits for the first jobs of all others.
 */
export const batchesWithoutLongRun = 1;

/** Bytes of text that a job may send without a long run; 40,000 take 40 ms to read. */
export const bytesAtFirst = 40_000;

/**
 * Returns the payload of the job in which a successful delivery continues.
 * @param tick milliseconds, which make its id unique
 */
export function continuation(realmId: number, tick: number): DeliverDue {
  return { realmId, second: 0, tick };
}

/** Returns whether the payload is a {@link continuation}. */
export function isContinuation({ second, tick }: DeliverDue): boolean {
  return second === 0 && tick !== undefined;
}

/**
 * The delivery job: makes a worker read and send what is due in an organization. Only the rows decide what is sent. There
 * is one job for each organization and second, however many messages are due then. BullMQ removes it as soon as it has run,
 * because adding a job whose id exists does nothing.
 */
export const deliverDue = job({
  name: "deliver-due",
  queue: "delivery",
  about:
    "Sends the scheduled messages of one organization that are due. " +
    `After ${batchesPerJob} batches it continues in another job, behind all waiting jobs. While the process delivers ` +
    `${longRunsAtOnce} other organizations in long runs, a job ends after one batch or ${bytesAtFirst} bytes of text. ` +
    "After a possible failure it begins with few messages, and counts each try in their rows.",
  payload,
  key: ({ realmId, second, scheduledMessageId, version, tick }) =>
    `deliver-due-${realmId}-${second}` +
    (scheduledMessageId === undefined ? "" : `-${scheduledMessageId}-v${version}`) +
    (tick === undefined ? "" : `-t${tick}`),
  // After these attempts the sweep adds the job again for as long as a row is due.
  retry: backoff({ attempts: 8, first: "500ms", cap: "15s", jitter: 0.5 }),
  deadline: "20s",
});

/** A message due within this many milliseconds gets its own job: the job of its second may be running already. */
export const tooSoonMs = 2_000;
