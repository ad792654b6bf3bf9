import { type Command, Option } from "commander";

import type { Context } from "../context.ts";
import { organizationOption } from "./organization-option.ts";

/** The roles by their names, as the organization's groups have them. */
const roleNames = ["owner", "administrator", "moderator", "member", "guest"] as const;

/** `carillon account …` */
export function addAccountCommands(program: Command, context: Context): void {
  const account = program.command("account").description("Accounts of people.");
  account
    .command("create")
    .description("Creates an account. Prompts for what is not given.")
    .option(...organizationOption)
    .option("--name <name>", "the person's full name")
    .option("--email <address>", "the person's e-mail address")
    .addOption(
      new Option("--role <role>", "role of the account").choices(roleNames).default("member"),
    )
    .option("--password-file <file>", "file with the password, - for standard input")
    .action(async (options) => {
      const { addAccount } = await import("../actions/accounts.ts");
      await addAccount(context, options);
    });
  account
    .command("list")
    .description("Lists people and bots: id, address, name, role, deactivated or not.")
    .option(...organizationOption)
    .option("--json", "one JSON object per line")
    .action(async (options) => {
      const { showAccounts } = await import("../actions/accounts.ts");
      await showAccounts(context, options);
    });
  account
    .command("deactivate")
    .description(
      "Deactivates a person with their bots, or a bot. Their API keys are refused; nothing is deleted; administrators can reactivate them.",
    )
    .argument("<account>", "e-mail address or id")
    .option(...organizationOption)
    .action(async (named: string, options) => {
      const { deactivate } = await import("../actions/accounts.ts");
      await deactivate(context, named, options);
    });
  account
    .command("reactivate")
    .description("Reactivates a person with their key, role and channels. Bots stay deactivated.")
    .argument("<account>", "e-mail address or id")
    .option(...organizationOption)
    .action(async (named: string, options) => {
      const { reactivate } = await import("../actions/accounts.ts");
      await reactivate(context, named, options);
    });
  account
    .command("make-owner")
    .description(
      "Makes a person an owner, for example after the last owner has left or can no longer sign in.",
    )
    .argument("<account>", "e-mail address or id")
    .option(...organizationOption)
    .action(async (named: string, options) => {
      const { promote } = await import("../actions/accounts.ts");
      await promote(context, named, options);
    });
  account
    .command("reset-password")
    .description("Resets a person's password. API keys stay valid: see `carillon key issue`.")
    .argument("<account>", "e-mail address or id")
    .option(...organizationOption)
    .option("--password-file <file>", "file with the new password, - for standard input")
    .action(async (named: string, options) => {
      const { setPassword } = await import("../actions/accounts.ts");
      await setPassword(context, named, options);
    });
}
