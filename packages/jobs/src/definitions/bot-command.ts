import * as z from "zod";
import { intentJob } from "../intent-job.ts";
import { backoff } from "../retry.ts";

const intent = z.strictObject({
  /** The message with the command. */
  messageId: z.int().positive(),
  /** The person who has sent it. */
  userId: z.int().positive(),
  /** Whether it was a scheduled message. Commands in such messages are not executed. */
  isScheduled: z.boolean(),
});

export type BotCommandIntent = z.infer<typeof intent>;

/** The first retries follow soon, because a person waits for the answer. */
export const botCommand = intentJob({
  name: "bot-command",
  title: "Command to the scheduling bot",
  queue: "commands",
  about:
    "Executes a person's command to the scheduling bot and answers it, in one transaction, after earlier commands of the person.",
  intent,
  retry: backoff({ attempts: 20, first: "500ms", cap: "1m", jitter: 0.5 }),
  deadline: "20s",
});
