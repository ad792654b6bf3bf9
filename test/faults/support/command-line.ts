import { fileURLToPath } from "node:url";
import { startProcess, type TestProcess, type Variables } from "@carillon/testkit";
import { expect } from "chai";

const program = fileURLToPath(new URL("../../../apps/cli/src/main.ts", import.meta.url));

/** Starts `carillon` with these arguments. */
export function startCarillon(words: readonly string[], variables: Variables): TestProcess {
  return startProcess(program, words, variables);
}

/** Runs `carillon`, which must succeed. @returns its output */
export async function carillon(words: readonly string[], variables: Variables): Promise<string> {
  const command = startCarillon(words, variables);
  expect(await command.exit, command.output()).to.deep.equal({ code: 0, signal: null });
  return command.output();
}
