import { loadZones } from "@carillon/calendar";
import { ApiError } from "@carillon/contract";
import type { Tx } from "@carillon/db";
import { emit } from "@carillon/events";
import type { BotCommandIntent } from "@carillon/jobs";
import type { Notice } from "@carillon/markdown";
import {
  clientIdOf,
  findDirectRecipients,
  loadAccounts,
  loadOwnSettings,
  loadRealm,
  memberKey,
  membersOf,
  loadVisibleMessages,
  type Site,
} from "@carillon/model";

import { composeNotice, directTo, systemBot } from "../messages/send/notice.ts";
import { sendMessages } from "../messages/send/send.ts";
import { isAsking, type Asking } from "./asking.ts";
import type { BotContext } from "./context.ts";
import { cancel, list, move, remind, sendOnce } from "./operations.ts";
import {
  cancelSeries,
  every,
  moveSeries,
  pause,
  resume,
  sendNow,
  skip,
} from "./series-operations.ts";
import { type Command, parseCommand } from "./parse-command.ts";
import { keepQuestion, type OpenQuestion, type Settled, takeQuestion } from "./question.ts";
import { loadEnglish } from "./read-when.ts";
import {
  byHandNotice,
  exampleOf,
  helpNotice,
  noQuestionNotice,
  questionNotice,
  refusedNotice,
  unclearNotice,
} from "./texts.ts";

/** Name of the client of what the bot does. */
const clientName = "SchedulingBot";

/** The API has refused a command: its transaction is rolled back, and another one answers. */
export class CommandRefused extends Error {
  override readonly name = "CommandRefused";
  readonly refusal: ApiError;

  constructor(refusal: ApiError) {
    super(refusal.message);
    this.refusal = refusal;
  }
}

/**
 * Does a person's command to the scheduling bot and answers it, in the transaction that ends its intent. The operations
 * are those of the API, with the person's permissions. Does nothing for a message that is gone, or an account that is
 * deactivated.
 * @param refusal of the same command, to be answered instead of doing it
 * @throws CommandRefused when the API refuses the command
 */
export async function answerCommand(
  tx: Tx,
  site: Site,
  realmId: number,
  { messageId, userId, isScheduled }: BotCommandIntent,
  refusal?: ApiError,
): Promise<void> {
  const [realm, accounts, [message]] = await Promise.all([
    loadRealm(tx, realmId),
    loadAccounts(tx, realmId, [userId]),
    loadVisibleMessages(tx, realmId, [{ accountId: userId, messageId }]),
  ]);
  const actor = accounts.get(userId);
  if (!actor?.isActive || !message) return;
  const [settings, clientId, zones, english] = [
    await loadOwnSettings(tx, realm, userId),
    await clientIdOf(tx, clientName),
    await loadZones(),
    await loadEnglish(),
  ];
  const context: BotContext = {
    tx,
    site,
    realm,
    actor,
    client: { id: clientId, name: clientName },
    zones,
    english,
    twentyFourHours: settings["twenty_four_hour_time"] === true,
    timezone: actor.timezone === "" ? "UTC" : zones.canonicalName(actor.timezone),
    hasTimezone: actor.timezone !== "",
  };
  const answer = isScheduled
    ? byHandNotice()
    : await answerTo(context, { messageId, content: message.content }, refusal);
  const bot = await systemBot(tx, realmId, "scheduling");
  const composed = await composeNotice(tx, { bot, target: directTo(bot, actor), notice: answer });
  const recipientId = await conversationOf(tx, realmId, [bot.id, actor.id]);
  const { events } = await sendMessages(tx, realm, [{ ...composed, recipientId }]);
  emit(tx, realmId, events);
}

/** Returns the recipient of the conversation in which the command was sent. */
async function conversationOf(
  tx: Tx,
  realmId: number,
  [botId, userId]: readonly [number, number],
): Promise<number> {
  const members = membersOf(botId, [userId]);
  const found = (await findDirectRecipients(tx, realmId, [members])).get(memberKey(members));
  if (!found) throw new Error(`account ${userId} has no conversation with the scheduling bot`);
  return found.id;
}

/** The message with a command. */
type Asked = Pick<OpenQuestion, "messageId" | "content">;

async function answerTo(
  context: BotContext,
  asked: Asked,
  refusal: ApiError | undefined,
): Promise<Notice> {
  const { tx, actor, realm } = context;
  const question = await takeQuestion(tx, actor.id);
  const parsed = parseCommand(asked.content);
  if (parsed.kind === "unclear") return unclearNotice(parsed.lacks);
  const { command } = parsed;
  if (refusal) return refusedNotice(refusal.message, exampleOf(command.kind));
  if (command.kind !== "choice") return runCommand(context, asked, command, { now: realm.now });
  const settled = question?.choices[command.number - 1];
  if (!question || !settled) return noQuestionNotice();
  const again = parseCommand(question.content);
  if (again.kind === "unclear") throw new Error("a question was stored for no command");
  return runCommand(context, question, again.command, settled);
}

/** Does a command, or asks back. */
async function runCommand(
  context: BotContext,
  asked: Asked,
  command: Command,
  settled: Settled,
): Promise<Notice> {
  const { tx, actor } = context;
  const done = await run(context, asked, command, settled).catch((error: unknown) => {
    throw error instanceof ApiError ? new CommandRefused(error) : error;
  });
  if (!isAsking(done)) return done;
  const choices = done.choices.map((choice) => choice.settled);
  await keepQuestion(tx, actor.id, { ...asked, choices });
  return questionNotice(
    done.question,
    done.choices.map(({ shown }) => shown),
  );
}

async function run(
  context: BotContext,
  { messageId }: Asked,
  command: Command,
  settled: Settled,
): Promise<Notice | Asking> {
  switch (command.kind) {
    case "help":
      return helpNotice();
    case "list":
      return list(context);
    case "send":
      return sendOnce(context, command, settled);
    case "remind":
      return remind(context, command, settled, messageId);
    case "every":
      return every(context, command, settled);
    case "move": {
      const { reference, when } = command;
      return reference.kind === "series"
        ? moveSeries(context, reference.id, when, settled)
        : move(context, reference.id, when, settled);
    }
    case "cancel": {
      const { kind, id } = command.reference;
      return kind === "series" ? cancelSeries(context, id) : cancel(context, id);
    }
    case "skip":
      return skip(context, command.id);
    case "pause":
      return pause(context, command.id);
    case "resume":
      return resume(context, command.id);
    case "sendNow":
      return sendNow(context, command.id);
    case "choice":
      throw new Error("a choice is no command of its own");
  }
}
