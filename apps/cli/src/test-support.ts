import { PassThrough, Readable } from "node:stream";
import type { Sql } from "@carillon/db";
import { authenticate, keyHolders } from "@carillon/domain";
import type { Site } from "@carillon/model";
import { testSecretKey } from "@carillon/testkit";

import { Cleanups } from "./cleanups.ts";
import type { Variables } from "./context.ts";
import { runCommandLine } from "./run.ts";
import type { Terminal } from "./terminal.ts";

/** The output and the exit code of a command. */
export interface Ended {
  readonly code: number;
  readonly said: string;
  readonly noted: string;
}

/** Runs command lines on the database of the tests; prompts are answered from `answers`. */
export function commandLineOn(databaseUrl: string | undefined, others: Variables = {}) {
  const variables = { DATABASE_URL: databaseUrl, SECRET_KEY: testSecretKey, ...others };
  return async (
    words: readonly string[],
    {
      input = "",
      answers,
      shown = false,
      output = new PassThrough(),
      cleanups = new Cleanups(),
      progressMs = 5_000,
    }: {
      input?: string | Buffer;
      answers?: readonly string[];
      shown?: boolean;
      output?: PassThrough;
      cleanups?: Cleanups;
      progressMs?: number;
    } = {},
  ): Promise<Ended & { output: Buffer }> => {
    const said: string[] = [];
    const noted: string[] = [];
    const pieces: Buffer[] = [];
    output.on("data", (piece: Buffer) => pieces.push(piece));
    const waiting = [...(answers ?? [])];
    const answer = async (question: string) => {
      noted.push(question);
      return waiting.shift() ?? "";
    };
    const terminal: Terminal = {
      input: Readable.from([Buffer.from(input)]),
      output,
      interactive: answers !== undefined,
      shown,
      say: (line) => void said.push(line),
      note: (line) => void noted.push(line),
      ask: answer,
      askSecret: answer,
    };
    const code = await runCommandLine(words, terminal, { variables, cleanups, progressMs });
    return { code, said: said.join("\n"), noted: noted.join("\n"), output: Buffer.concat(pieces) };
  };
}

/** Logs in with a key, and returns the outcome. */
export function loginOn(
  sql: Sql,
  site: Site,
  login: { readonly email: string; readonly apiKey: string },
): Promise<object> {
  return authenticate(async (digest) => (await keyHolders(sql, [digest]))[0], site, login);
}
