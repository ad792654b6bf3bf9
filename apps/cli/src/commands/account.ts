import { type Command, Option } from "commander";

import type { Context } from "../context.ts";

/** The roles by their names, as the organization's groups have them. */
const roleNames = ["owner", "administrator", "moderator", "member", "guest"] as const;

/** `carillon account …` */
export function addAccountCommands(program: Command, context: Context): void {
  const account = program.command("account").description("Accounts of people.");
  account
    .command("create")
    .description("Makes an account. What is not given is asked for.")
    .option(
      "--organization <subdomain>",
      "which one, where there are several; - for the one without",
    )
    .option("--name <name>", "the person's full name")
    .option("--email <address>", "the person's e-mail address")
    .addOption(new Option("--role <role>", "what they are").choices(roleNames).default("member"))
    .option("--password-file <file>", "a file with the password, - for standard input")
    .action(async (options) => {
      const { addAccount } = await import("../work/accounts.ts");
      await addAccount(context, options);
    });
  account
    .command("list")
    .description(
      "Lists people and bots: id, address, name, role, and whether they are deactivated.",
    )
    .option(
      "--organization <subdomain>",
      "which one, where there are several; - for the one without",
    )
    .option("--json", "a JSON object a line")
    .action(async (options) => {
      const { showAccounts } = await import("../work/accounts.ts");
      await showAccounts(context, options);
    });
  account
    .command("deactivate")
    .description(
      "Deactivates a person with their bots, or a bot: keys are refused, nothing is deleted, and administrators may reactivate it.",
    )
    .argument("<account>", "its e-mail address, or its id")
    .option(
      "--organization <subdomain>",
      "which one, where there are several; - for the one without",
    )
    .action(async (named: string, options) => {
      const { deactivate } = await import("../work/accounts.ts");
      await deactivate(context, named, options);
    });
  account
    .command("reset-password")
    .description("Gives a person another password. API keys stay: see `carillon key issue`.")
    .argument("<account>", "its e-mail address, or its id")
    .option(
      "--organization <subdomain>",
      "which one, where there are several; - for the one without",
    )
    .option("--password-file <file>", "a file with the new password, - for standard input")
    .action(async (named: string, options) => {
      const { setPassword } = await import("../work/accounts.ts");
      await setPassword(context, named, options);
    });
}
