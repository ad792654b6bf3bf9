import type { Command } from "commander";

import type { Context } from "../context.ts";

interface Options {
  readonly name?: string;
  readonly subdomain: string;
  readonly ownerName?: string;
  readonly ownerEmail?: string;
  readonly passwordFile?: string;
}

/** `carillon organization …` */
export function addOrganizationCommands(program: Command, context: Context): void {
  const organization = program.command("organization").description("Organizations.");
  organization
    .command("create")
    .description(
      "Makes an organization, with its owner and a channel. What is not given is asked for.",
    )
    .option("--name <name>", "what it is called")
    .option(
      "--subdomain <label>",
      "what it has before the host of PUBLIC_URL; the first one usually has none",
      "",
    )
    .option("--owner-name <name>", "the owner's full name")
    .option("--owner-email <address>", "the owner's e-mail address")
    .option("--password-file <file>", "a file with the owner's password, - for standard input")
    .action(async (options: Options) => {
      const { createOrganization } = await import("../work/organizations.ts");
      await createOrganization(context, options);
    });
  organization
    .command("list")
    .description("Lists the organizations: subdomain, name, active accounts.")
    .action(async () => {
      const { showOrganizations } = await import("../work/organizations.ts");
      await showOrganizations(context);
    });
}
