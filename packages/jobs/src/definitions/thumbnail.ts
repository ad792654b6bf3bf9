import * as z from "zod";
import { intentJob } from "../intent-job.ts";
import { backoff } from "../retry.ts";

const deletedImage = z.strictObject({
  pathId: z.string(),
  mediaType: z.string(),
  /** The messages that claimed it. */
  messageIds: z.array(z.int().positive()),
});

/** A picture that was deleted before its thumbnails were made. */
export type DeletedImage = z.infer<typeof deletedImage>;

const intent = z.strictObject({
  /** The row of `images`. */
  attachmentId: z.int().positive(),
  /** How many pictures of the same account waited when this one was uploaded. */
  behind: z.int().nonnegative().optional(),
  /** How many decoders of earlier jobs took too long. */
  timeouts: z.int().positive().optional(),
  /** The message after which an earlier job stopped replacing placeholders. */
  after: z.int().positive().optional(),
  /** The picture was deleted: only removes placeholders from these messages. */
  deleted: deletedImage.optional(),
});

/**
 * Only failures of the infrastructure, such as an unavailable file store, cause further attempts, for about a day. A decoder
 * takes at most 20 s; if that was not enough, another job tries the picture again.
 */
export const thumbnail = intentJob({
  name: "thumbnail",
  title: "Thumbnails",
  queue: "images",
  about:
    "Decodes an uploaded picture in a child process, stores its thumbnails, and puts them into the messages that show it.",
  intent,
  retry: backoff({ attempts: 70, first: "2s", cap: "30m", jitter: 0.5 }),
  deadline: "27s",
  // Requests wait for the other jobs of the queue, so those come first.
  yields: true,
});
