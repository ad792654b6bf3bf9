import type { Sql } from "@carillon/db";
import { expect } from "chai";
import { changesOf } from "../footprint.ts";
import { refusedWith, type Refusable } from "./answers.ts";

/**
 * Makes the request, which has to be refused so, and to change nothing in any table (http-contract.md §2).
 * @param fields what the refusal says besides, all of it; unless given that is not looked at
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
