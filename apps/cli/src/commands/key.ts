import type { Command } from "commander";

import type { Context } from "../context.ts";
import { organizationOption } from "./organization-option.ts";

/** `carillon key …` */
export function addKeyCommands(program: Command, context: Context): void {
  const key = program.command("key").description("API keys of people and bots.");
  key
    .command("issue")
    .description(
      "Issues a new API key for an account, in a zuliprc file. The old key is refused from then on.",
    )
    .argument("<account>", "e-mail address or id")
    .option(...organizationOption)
    .requiredOption("--zuliprc <file>", "file to write, mode 0600; - for standard output")
    .action(async (named: string, options) => {
      const { issueKey } = await import("../actions/keys.ts");
      await issueKey(context, named, options);
    });
  key
    .command("revoke")
    .description(
      "Revokes an account's API key. A person gets a new one by logging in; a bot's owner gives it one.",
    )
    .argument("<account>", "e-mail address or id")
    .option(...organizationOption)
    .action(async (named: string, options) => {
      const { revokeKey } = await import("../actions/keys.ts");
      await revokeKey(context, named, options);
    });
}
