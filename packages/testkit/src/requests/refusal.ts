import type { Sql } from "@carillon/db";
import { expect } from "chai";
import { changesOf } from "../footprint.ts";
import { refusedWith, type Refusable } from "./answers.ts";

/**
 * Makes the request, which has to be refused so, and to change nothing in any table (http-contract.md §2).
 * @param fields what the refusal says besides, all of it; unless given that is not looked at
 * @param status unless it is the one of the code
 * @returns what is answered
 */
export async function refused<A extends Refusable>(
  sql: Sql,
  ask: () => Promise<A>,
  code?: string,
  fields?: Readonly<Record<string, unknown>>,
  status?: number,
): Promise<A["body"]> {
  const { result, tables } = await changesOf(sql, ask);
  const { result: _error, msg: _msg, code: _code, ...besides } = result.body;
  refusedWith(result, code, fields ?? besides, status);
  expect(tables, "tables that a refused request has changed").to.deep.equal([]);
  return result.body;
}

/**
 * Makes a request about each of some things, which all have to be refused in the same words, and without fields:
 * nobody learns from them which of the things are there.
 * @returns these words
 */
export async function refusedAlike<T>(
  sql: Sql,
  things: Iterable<T>,
  ask: (thing: T) => Promise<Refusable>,
): Promise<string> {
  const words = new Set<string>();
  for (const thing of things) {
    const { msg = "" } = await refused(sql, () => ask(thing), "BAD_REQUEST", {});
    words.add(msg);
  }
  expect([...words], "words of the refusals").to.have.length(1);
  return [...words].join();
}
