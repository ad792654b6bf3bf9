import { loadZones } from "@carillon/calendar";
import { ApiError } from "@carillon/contract";
import type { Database, Tx } from "@carillon/db";
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
  type SendingClient,
  type Site,
} from "@carillon/model";

import { composeNotice, directTo } from "../messages/send/notice.ts";
import { systemBot } from "../messages/send/system-bot.ts";
import { sendMessages } from "../messages/send/send.ts";
import { isClarification, type Clarification } from "./clarification.ts";
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
import { storeQuestion, type OpenQuestion, type Decisions, takeQuestion } from "./question.ts";
import { loadEnglish } from "./read-when.ts";
import {
  ignoredCommandNotice,
  exampleOf,
  helpNotice,
  noQuestionNotice,
  questionNotice,
  refusedNotice,
  unclearNotice,
} from "./texts.ts";

/** Client name of the operations that the bot runs. */
const clientName = "SchedulingBot";

/**
 * Returns the client program that the bot's operations name; the first command of an installation inserts its row. Call it
 * outside the command's transaction: otherwise all other commands would wait for the row until that transaction has ended.
 */
export async function botClient(db: Database): Promise<SendingClient> {
  return { id: await clientIdOf(db, clientName), name: clientName };
}

/** Thrown if the API refuses a command: the caller rolls back, and answers with the refusal in another transaction. */
export class CommandRefused extends Error {
  override readonly name = "CommandRefused";
  readonly refusal: ApiError;

  constructor(refusal: ApiError) {
    super(refusal.message);
    this.refusal = refusal;
  }
}

/**
 * Runs a person's command to the scheduling bot and answers it, in the transaction that ends its intent. Calls the functions
 * of the API's operations, with the person's permissions. Does nothing if the message was deleted or the account is
 * deactivated.
 * @param refusal the API's refusal of this command: answers with it instead of running the command
 * @throws CommandRefused if the API refuses the command
 */
export async function answerCommand(
  tx: Tx,
  { site, client }: { readonly site: Site; readonly client: SendingClient },
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
  const [settings, zones, english] = [
    await loadOwnSettings(tx, realm, userId),
    await loadZones(),
    await loadEnglish(),
  ];
  const context: BotContext = {
    tx,
    site,
    realm,
    actor,
    client,
    zones,
    english,
    twentyFourHours: settings["twenty_four_hour_time"] === true,
    timezone: actor.timezone === "" ? "UTC" : zones.canonicalName(actor.timezone),
    hasTimezone: actor.timezone !== "",
  };
  const answer = isScheduled
    ? ignoredCommandNotice()
    : await answerTo(context, { messageId, content: message.content }, refusal);
  const bot = await systemBot(tx, realmId, "scheduling");
  const composed = await composeNotice(tx, { bot, target: directTo(bot, actor), notice: answer });
  const recipientId = await conversationOf(tx, realmId, [bot.id, actor.id]);
  const { events } = await sendMessages(tx, realm, [{ ...composed, recipientId }]);
  emit(tx, realmId, events);
}

/** Returns the recipient id of the conversation in which the command was sent. */
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

/** The message that contains a command. */
type CommandMessage = Pick<OpenQuestion, "messageId" | "content">;

async function answerTo(
  context: BotContext,
  message: CommandMessage,
  refusal: ApiError | undefined,
): Promise<Notice> {
  const { tx, actor, realm } = context;
  const question = await takeQuestion(tx, actor.id);
  const parsed = parseCommand(message.content);
  if (parsed.kind === "unclear") return unclearNotice(parsed.lacks);
  const { command } = parsed;
  if (refusal) return refusedNotice(refusal.message, exampleOf(command.kind));
  if (command.kind !== "choice") return runCommand(context, message, command, { now: realm.now });
  const settled = question?.choices[command.number - 1];
  if (!question || !settled) return noQuestionNotice();
  const original = parseCommand(question.content);
  if (original.kind === "unclear") throw new Error("the stored question has no command");
  return runCommand(context, question, original.command, settled);
}

/** Runs a command and returns the answer. If the answer is a question, stores it. */
async function runCommand(
  context: BotContext,
  message: CommandMessage,
  command: Command,
  settled: Decisions,
): Promise<Notice> {
  const { tx, actor } = context;
  const result = await dispatch(context, message, command, settled).catch((error: unknown) => {
    throw error instanceof ApiError ? new CommandRefused(error) : error;
  });
  if (!isClarification(result)) return result;
  const choices = result.choices.map((choice) => choice.settled);
  await storeQuestion(tx, actor.id, { ...message, choices });
  return questionNotice(
    result.question,
    result.choices.map(({ shown }) => shown),
  );
}

async function dispatch(
  context: BotContext,
  { messageId }: CommandMessage,
  command: Command,
  settled: Decisions,
): Promise<Notice | Clarification> {
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
      throw new Error("a choice cannot run as a command");
  }
}
