import type { Database } from "@carillon/db";
import { botCommand, type IntentRef } from "@carillon/jobs";
import { IntentBusy } from "@carillon/outbox";
import { expect } from "chai";

import type { TestAccount } from "../factories/account.ts";
import { runJob } from "../jobs.ts";
import type { Scene } from "../scene.ts";
import { send, toUsers } from "./sending.ts";

/** Commands to scheduling bots that are not answered, in order. */
export function openCommands(db: Database): Promise<IntentRef[]> {
  return db.rows<IntentRef>(
    `SELECT id AS "intentId", version FROM job_intent WHERE job = 'bot-command' AND state = 'pending' ORDER BY id`,
  );
}

/** Runs the jobs of all commands. */
export async function answerCommands(db: Database): Promise<void> {
  for (const ref of await openCommands(db)) await runJob(db, botCommand, ref);
}

/**
 * Runs the job of a command several times at once, and each again while an earlier run holds the account's lock, as the
 * queue does.
 */
export async function answerAtOnce(db: Database, ref: IntentRef, times: number): Promise<void> {
  const run = async (): Promise<void> => {
    try {
      await runJob(db, botCommand, ref);
    } catch (error) {
      if (!(error instanceof IntentBusy)) throw error;
      return run();
    }
  };
  await Promise.all(Array.from({ length: times }, run));
}

/** A message of a scheduling bot. */
export interface BotAnswer {
  readonly id: number;
  readonly content: string;
  readonly html: string;
}

/** The messages of the organization's scheduling bot to a person, in order. */
export function botAnswers(
  db: Database,
  schedulingBot: { readonly id: number },
  person: { readonly id: number },
): Promise<BotAnswer[]> {
  return db.rows<BotAnswer>(
    `SELECT m.id, m.content, m.rendered_content AS html FROM messages m
     JOIN user_messages um ON um.message_id = m.id AND um.user_id = $2
     WHERE m.sender_id = $1 ORDER BY m.id`,
    [schedulingBot.id, person.id],
  );
}

/** Sends a command to the scheduling bot, has it done, and expects one answer. @returns its Markdown */
export async function askBot(scene: Scene, person: TestAccount, content: string): Promise<string> {
  const { db, org } = scene;
  const before = await botAnswers(db, org.schedulingBot, person);
  await send(scene.as(person), toUsers([org.schedulingBot.id], { content }));
  await answerCommands(db);
  const after = await botAnswers(db, org.schedulingBot, person);
  expect(after, content).to.have.length(before.length + 1);
  return after.at(-1)!.content;
}
