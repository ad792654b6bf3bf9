import * as z from "zod";
import { intentJob } from "../intent-job.ts";
import { backoff } from "../retry.ts";

/** What an uploaded picture is for. */
export type PictureKind = "avatar" | "icon" | "logo" | "emoji";

const intent = z.strictObject({
  /** The row of `picture_requests`, which the request deletes when it ends. */
  requestId: z.int().positive(),
});

/** A request waits for this job, at most 20 seconds. */
export const makePictures = intentJob({
  name: "make-pictures",
  title: "Avatar, icon, logo or emoji",
  queue: "images",
  about:
    "Makes the pictures of an uploaded avatar, icon, logo or emoji, for which the request waits.",
  intent,
  retry: backoff({ attempts: 6, first: "1s", cap: "5s", jitter: 0.2 }),
  deadline: "25s",
});
