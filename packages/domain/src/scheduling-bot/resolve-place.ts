import { ApiError, errors } from "@carillon/contract";
import { statement } from "@carillon/db";
import {
  accountColumns,
  accountOverrides,
  type Account,
  checkTopicsPolicy,
  findChannel,
  loadUserVisibility,
} from "@carillon/model";

import { attempt } from "../messages/send/attempt.ts";
import type { BotContext } from "./context.ts";
import type { PersonWords, WhereWords } from "./parse-command.ts";
import type { Decisions } from "./question.ts";
import type { ShownPlace } from "./shown-values.ts";
import { personChoice, questions, topicChoice } from "./texts.ts";
import type { Clarification } from "./clarification.ts";

/** Where a message goes: the parameters of the API, and the words of an answer. */
export interface Place {
  readonly type: "channel" | "direct";
  readonly to: number | readonly number[];
  readonly topic: string | undefined;
  readonly shown: ShownPlace;
}

const maxChoices = 9;
/** Number of a channel's newest messages whose topics are offered as choices. */
const recentMessages = 200;
const maxTopics = 5;

/**
 * Finds the place that a command names. A channel or person that the author of the command may not see is refused like one
 * that does not exist.
 * @throws ApiError `BAD_REQUEST`
 */
export async function resolvePlace(
  context: BotContext,
  where: WhereWords,
  settled: Decisions,
): Promise<Place | Clarification> {
  if (where.kind === "channel") return resolveChannel(context, where, settled);
  const accounts: Account[] = [];
  for (const [index, person] of where.people.entries()) {
    const found = await resolvePerson(context, person, settled.people?.[index]);
    const [account, ...others] = found;
    if (!account) throw noSuchPerson(person);
    if (others.length > 0)
      return {
        kind: "clarification",
        question: questions.person(account.fullName),
        choices: found.slice(0, maxChoices).map((each) => ({
          shown: personChoice(each),
          settled: { ...settled, people: { ...settled.people, [index]: each.id } },
        })),
      };
    accounts.push(account);
  }
  const others = accounts.filter(({ id }) => id !== context.actor.id);
  return {
    type: "direct",
    to: [...new Set(accounts.map(({ id }) => id))],
    topic: undefined,
    shown:
      others.length === 0
        ? { kind: "me" }
        : { kind: "people", names: others.map(({ fullName }) => fullName) },
  };
}

async function resolveChannel(
  { tx, actor, realm }: BotContext,
  { name, topic: written }: Extract<WhereWords, { kind: "channel" }>,
  settled: Decisions,
): Promise<Place | Clarification> {
  const channel = await findChannel(tx, actor, name, { access: "metadata", archived: false });
  if (!channel) throw errors.badRequest(`There is no channel ${name} that you see`);
  const topic = settled.topic ?? written ?? "";
  const refusal = attempt(() => checkTopicsPolicy(topic, channel.topicsPolicy, realm));
  if (refusal instanceof ApiError && topic === "") {
    const topics = await tx.rows(recentTopics, [channel.id, actor.id]);
    if (topics.length === 0) throw refusal;
    return {
      kind: "clarification",
      question: questions.topic(),
      choices: topics.map((each) => ({
        shown: topicChoice(each.topic),
        settled: { ...settled, topic: each.topic },
      })),
    };
  }
  return {
    type: "channel",
    to: channel.id,
    topic,
    shown: { kind: "channel", channel, topic },
  };
}

/** Topics of the channel's newest messages that the account has received, newest first. */
const recentTopics = statement({
  name: "bot-recent-topics",
  text: `SELECT topic FROM (
      SELECT DISTINCT ON (lower(m.topic)) m.topic, m.id FROM (
        SELECT topic, id FROM messages WHERE recipient_id = (SELECT id FROM recipients WHERE channel_id = $1) AND is_channel ORDER BY id DESC LIMIT ${recentMessages}
      ) m
      WHERE m.topic <> ''
        AND EXISTS (SELECT FROM user_messages um WHERE um.user_id = $2 AND um.message_id = m.id OFFSET 0)
      ORDER BY lower(m.topic), m.id DESC
    ) newest ORDER BY id DESC LIMIT ${maxTopics}`,
});

const byName = statement({
  name: "bot-accounts-by-name",
  text: `SELECT ${accountColumns} FROM users u
    WHERE u.realm_id = $1 AND u.is_active AND lower(u.full_name) = lower($2) AND ($3::int IS NULL OR u.id = $3)
    ORDER BY u.id LIMIT 100`,
  overrides: accountOverrides,
});

const byId = statement({
  name: "bot-account-by-id",
  text: `SELECT ${accountColumns} FROM users u WHERE u.realm_id = $1 AND u.is_active AND u.id = $2`,
  overrides: accountOverrides,
});

const byAddress = statement({
  name: "bot-account-by-address",
  text: `SELECT ${accountColumns} FROM users u
    WHERE u.realm_id = $1 AND u.is_active AND lower(u.email) = lower($2)`,
  overrides: accountOverrides,
});

/** Returns the active accounts that the words may mean, among those that the author of the command sees. */
async function resolvePerson(
  { tx, actor, realm }: BotContext,
  person: PersonWords,
  settledId: number | undefined,
): Promise<Account[]> {
  if (person.kind === "me") return [actor];
  const found =
    settledId !== undefined
      ? await tx.rows(byId, [realm.id, settledId])
      : person.kind === "address"
        ? await tx.rows(byAddress, [realm.id, person.address])
        : person.name === ""
          ? await tx.rows(byId, [realm.id, person.id!])
          : await tx.rows(byName, [realm.id, person.name, person.id ?? null]);
  const { sees } = await loadUserVisibility(tx, actor);
  return found.filter((account) => account.id === actor.id || sees(account));
}

function noSuchPerson(person: PersonWords): ApiError {
  const named =
    person.kind === "address"
      ? `with the address ${person.address}`
      : person.kind === "name" && person.name !== ""
        ? `called ${person.name}`
        : "with this ID";
  return errors.badRequest(`There is no user ${named} that you can see`);
}
