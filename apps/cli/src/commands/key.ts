import type { Command } from "commander";

import type { Context } from "../context.ts";

/** `carillon key …` */
export function addKeyCommands(program: Command, context: Context): void {
  const key = program.command("key").description("API keys, of people and of bots.");
  key
    .command("issue")
    .description(
      "Gives an account another API key, in a file that clients read. The old one is refused from then on.",
    )
    .argument("<account>", "its e-mail address, or its id")
    .option(
      "--organization <subdomain>",
      "which one, where there are several; - for the one without",
    )
    .requiredOption(
      "--zuliprc <file>",
      "the file that is written, mode 0600; - for standard output",
    )
    .action(async (named: string, options) => {
      const { issueKey } = await import("../work/keys.ts");
      await issueKey(context, named, options);
    });
  key
    .command("revoke")
    .description(
      "Has an account's API key refused. Its person gets another one by logging in; a bot's owner gives it one.",
    )
    .argument("<account>", "its e-mail address, or its id")
    .option(
      "--organization <subdomain>",
      "which one, where there are several; - for the one without",
    )
    .action(async (named: string, options) => {
      const { revokeKey } = await import("../work/keys.ts");
      await revokeKey(context, named, options);
    });
}
