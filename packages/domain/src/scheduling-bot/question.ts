import { statement, type Tx, typed } from "@carillon/db";

/** When a series repeats, as its parameters say it (once-and-again.md §3.2). */
export interface DecidedSchedule {
  readonly start: string;
  readonly timezone: string;
  readonly rrule: string;
}

/** Decisions about a command: its own time, and what the person chose in answers to questions. */
export interface Decisions {
  /** UNIX seconds of the command: `in 20 minutes` counts from it. */
  readonly now: number;
  readonly time?: { readonly instant: number; readonly localTime: string };
  /** The schedule of a new series. */
  readonly schedule?: DecidedSchedule;
  /** The new time of day of a whole series, in seconds. */
  readonly second?: number;
  /** The occurrence that gets {@link time}, by the id of its scheduled message. */
  readonly occurrenceId?: number;
  readonly topic?: string;
  /** Ids of people, by their position in the command. */
  readonly people?: Readonly<Record<string, number>>;
}

/** A command that waits for the number of a choice. */
export interface OpenQuestion {
  /** The message with the command, which a reminder is about. */
  readonly messageId: number;
  readonly content: string;
  /** The decisions that each number stands for, beginning with 1. */
  readonly choices: readonly Decisions[];
}

/** Minutes for which a question stays open. */
const openMinutes = 10;

const take = statement({
  name: "bot-question-take",
  text: `DELETE FROM scheduling_bot_questions WHERE user_id = $1
    RETURNING message_id AS "messageId", content, choices,
      asked_at > now() - interval '${openMinutes} minutes' AS "isOpen"`,
  overrides: { choices: typed<readonly Decisions[]>() },
});

/** Deletes and returns the account's question: the next message closes it. Returns undefined if there is none or it has expired. */
export async function takeQuestion(tx: Tx, userId: number): Promise<OpenQuestion | undefined> {
  const [found] = await tx.rows(take, [userId]);
  return found?.isOpen ? found : undefined;
}

const keep = statement({
  name: "bot-question-keep",
  text: `INSERT INTO scheduling_bot_questions (user_id, message_id, content, choices) VALUES ($1, $2, $3, $4::jsonb)`,
});

/** Stores the question that the bot asks in this transaction. */
export async function storeQuestion(
  tx: Tx,
  userId: number,
  { messageId, content, choices }: OpenQuestion,
): Promise<void> {
  await tx.rows(keep, [userId, messageId, content, JSON.stringify(choices)]);
}
