import { ApiError, type Condition, errors, isGuest } from "@carillon/contract";
import type { Sql } from "@carillon/db";
import {
  type Account,
  fullUserVisibility,
  loadAccounts,
  loadUserVisibility,
  type Realm,
} from "@carillon/model";
import { runsOlderProcess } from "@carillon/scheduling";

import { attempt } from "../messages/send/attempt.ts";

/** Conditions as they are stored; null for none. */
export type Conditions = readonly Condition[] | null;

/** The parameter `unless` of one request, and what its checks need to know about the message after the request. */
export interface AskedConditions {
  readonly actor: Account;
  /** Undefined if the parameter was not given: the message has no conditions. */
  readonly unless: readonly Condition[] | undefined;
  readonly toChannel: boolean;
  /** Whether the message recurs: it has no delivery that a check-in could move. */
  readonly inSeries?: boolean;
}

/**
 * Checks the conditions of requests of one organization (once-and-again.md §4). Runs no statement if none has
 * conditions.
 * @returns for each the conditions to store, or its rejection: 400, or 503 while a process of a release without conditions
 *   runs
 */
export async function checkConditions(
  sql: Sql,
  realm: Realm,
  asked: readonly AskedConditions[],
): Promise<Array<Conditions | ApiError>> {
  const given = asked.filter(({ unless = [] }) => unless.length > 0);
  if (given.length === 0) return asked.map(() => null);
  const [accounts, isMixed] = await Promise.all([
    loadAccounts(sql, realm.id, given.flatMap(namedAccounts)),
    runsOlderProcess(sql, "conditions"),
  ]);
  const results: Array<Conditions | ApiError> = [];
  for (const each of asked) {
    if (!given.includes(each)) {
      results.push(null);
      continue;
    }
    // Only guests of some organizations need the statement.
    const isRestricted = realm.restrictsGuests && isGuest(each.actor);
    const { sees } = isRestricted ? await loadUserVisibility(sql, each.actor) : fullUserVisibility;
    const known = (id: number) => {
      const account = accounts.get(id);
      return account !== undefined && sees(account);
    };
    results.push(attempt(() => checkEach(each, known, isMixed)));
  }
  return results;
}

/**
 * Checks the conditions of one message.
 * @returns the conditions to store
 * @throws ApiError `BAD_REQUEST`; 503 while a process of a release without conditions runs
 */
export async function checkUnless(
  sql: Sql,
  realm: Realm,
  asked: AskedConditions,
): Promise<Conditions> {
  const [result = null] = await checkConditions(sql, realm, [asked]);
  if (result instanceof ApiError) throw result;
  return result;
}

function namedAccounts({ unless = [] }: AskedConditions): number[] {
  return unless.flatMap((condition) => accountsOf(condition) ?? []);
}

/** Returns the accounts that the condition names; undefined if it names none. */
export function accountsOf(condition: Condition): readonly number[] | undefined {
  return condition.kind === "topic_resolved" ? undefined : condition.by;
}

function checkEach(
  { unless = [], toChannel, inSeries }: AskedConditions,
  known: (id: number) => boolean,
  isMixed: boolean,
): Conditions {
  for (const condition of unless) {
    checkPlace(condition, toChannel);
    if (inSeries && condition.kind === "check_in" && condition.interval !== undefined)
      throw errors.badRequest("unless: a check_in condition of a series cannot have an interval");
    const unknown = accountsOf(condition)?.find((id) => !known(id));
    if (unknown !== undefined)
      throw errors.badRequest(`unless: there is no user with the ID ${unknown}`);
  }
  if (isMixed) throw errors.olderProcesses();
  return unless.map(withoutRepeats);
}

/** Throws ApiError `BAD_REQUEST` for a condition that a message to such a place cannot have. */
export function checkPlace({ kind }: Condition, toChannel: boolean): void {
  if (kind === "topic_resolved" && !toChannel)
    throw errors.badRequest("unless: topic_resolved is for channel messages");
}

function withoutRepeats(condition: Condition): Condition {
  if (condition.kind === "topic_resolved" || !condition.by) return condition;
  return { ...condition, by: [...new Set(condition.by)] };
}
