import { startCarillon, type Variables } from "@carillon/testkit";
import { expect } from "chai";

/** Runs `carillon`, which must succeed. @returns its output */
export async function carillon(words: readonly string[], variables: Variables): Promise<string> {
  const command = startCarillon(words, variables);
  expect(await command.exit, command.output()).to.deep.equal({ code: 0, signal: null });
  return command.output();
}
