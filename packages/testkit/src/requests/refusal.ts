import type { Sql } from "@carillon/db";
import { expect } from "chai";
import { changesOf } from "../footprint.ts";
import { refusedWith, type Refusable } from "./answers.ts";

/**
 * Makes a request that must be refused with this code and change no table (http-contract.md §2).
 * @param fields all extra fields of the refusal; not checked by default
 * @param status default: the code's status
 * @returns the response body
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
 * Makes a request for each of several things; all must be refused with the same message and without fields, so that the
 * response does not reveal which exist.
 * @returns the message
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
