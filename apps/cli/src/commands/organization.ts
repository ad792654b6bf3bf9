import { InvalidArgumentError, type Command } from "commander";

import type { Context } from "../context.ts";
import { addConvertCommand } from "./organization-convert.ts";
import { organizationOption } from "./organization-option.ts";

interface Options {
  readonly name?: string;
  readonly subdomain: string;
  readonly ownerName?: string;
  readonly ownerEmail?: string;
  readonly passwordFile?: string;
}

interface LimitOptions {
  readonly organization?: string;
  readonly channels?: number;
  readonly userGroups?: number;
  readonly bots?: number;
}

interface AuthenticationOptions {
  readonly organization?: string;
  readonly enable: readonly string[];
}

interface DomainOptions {
  readonly organization?: string;
  readonly add: readonly string[];
  readonly withSubdomains: boolean;
  readonly remove: readonly string[];
  readonly unrestrict: boolean;
}

/** Collects the values of an option that may be given several times. */
function gathered(value: string, before: readonly string[]): readonly string[] {
  return [...before, value];
}

/** Parses a limit from 0 to 999,999,999, or throws InvalidArgumentError. */
function limit(text: string): number {
  if (!/^\d{1,9}$/.test(text))
    throw new InvalidArgumentError("It must be a whole number of at most 999999999.");
  return Number(text);
}

/** `carillon organization …` */
export function addOrganizationCommands(program: Command, context: Context): void {
  const organization = program.command("organization").description("Organizations.");
  organization
    .command("create")
    .description(
      "Creates an organization, with its owner and a channel. Prompts for what is not given.",
    )
    .option("--name <name>", "name of the organization")
    .option(
      "--subdomain <label>",
      "label before the host name of PUBLIC_URL; - for none, which is usual for the first organization",
      "",
    )
    .option("--owner-name <name>", "the owner's full name")
    .option("--owner-email <address>", "the owner's e-mail address")
    .option("--password-file <file>", "file with the owner's password, - for standard input")
    .action(async (options: Options) => {
      const { createOrganization } = await import("../actions/organizations.ts");
      await createOrganization(context, options);
    });
  organization
    .command("limits")
    .description(
      "Shows the limits of channels, user groups and bots of an organization, and changes those given.",
    )
    .option(...organizationOption)
    .option("--channels <number>", "limit of channels, including archived ones", limit)
    .option("--user-groups <number>", "limit of user groups, including deactivated ones", limit)
    .option("--bots <number>", "limit of bots, including deactivated ones", limit)
    .action(async (options: LimitOptions) => {
      const { limitOrganization } = await import("../actions/organizations.ts");
      await limitOrganization(context, options);
    });
  organization
    .command("authentication")
    .description(
      "Shows which methods of logging in are on in an organization, and turns on those given.",
    )
    .option(...organizationOption)
    .option("--enable <method>", "method to turn on, such as email; repeatable", gathered, [])
    .action(async (options: AuthenticationOptions) => {
      const { enableAuthentication } = await import("../actions/organizations.ts");
      await enableAuthentication(context, options);
    });
  organization
    .command("domains")
    .description(
      "Shows the domains of e-mail addresses that new accounts may have, and changes those given.",
    )
    .option(...organizationOption)
    .option("--add <domain>", "domain to add; repeatable", gathered, [])
    .option("--with-subdomains", "accept the subdomains of added domains, too", false)
    .option("--remove <domain>", "domain to remove; repeatable", gathered, [])
    .option("--unrestrict", "accept addresses of all domains", false)
    .action(async (options: DomainOptions) => {
      const { showDomains } = await import("../actions/organizations.ts");
      await showDomains(context, options);
    });
  organization
    .command("export")
    .description(
      "Writes an organization with its uploaded files into a folder, while the installation runs. Run it again to continue after an interruption.",
    )
    .argument("<folder>", "a new folder, or that of an unfinished export")
    .option(...organizationOption)
    .option("--key-file <file>", "file for the key of the export's secrets; default: <folder>.key")
    .option("--final", "make the organization read-only for the move, after its files are copied")
    .action(async (folder: string, options) => {
      const { writeOrganization } = await import("../actions/transfer-organization.ts");
      await writeOrganization(context, folder, options);
    });
  organization
    .command("reopen")
    .description("Reopens an organization that export --final has made read-only.")
    .option(...organizationOption)
    .option("--not-imported", "say that its final export was not imported, or its import deleted")
    .action(async (options: { organization?: string; notImported?: boolean }) => {
      const { reopen } = await import("../actions/transfer-organization.ts");
      await reopen(context, options);
    });
  organization
    .command("redirect")
    .description("Redirects an organization to its new address after a move.")
    .argument("<url>", "its new address, such as https://chat.example.com")
    .option(...organizationOption)
    .action(async (url: string, options: Pick<LimitOptions, "organization">) => {
      const { redirect } = await import("../actions/transfer-organization.ts");
      await redirect(context, url, options);
    });
  organization
    .command("retire")
    .description(
      "Takes the subdomain and the API keys from an organization that has moved away, so that it can move back.",
    )
    .option(...organizationOption)
    .action(async (options: Pick<LimitOptions, "organization">) => {
      const { retire } = await import("../actions/transfer-organization.ts");
      await retire(context, options);
    });
  organization
    .command("import")
    .description(
      "Imports an exported organization. It cannot be reached until it is complete. Run it again to continue after an interruption.",
    )
    .argument("[folder]", "folder of an export; not needed with --discard and --subdomain")
    .option("--subdomain <label>", "label of its new address, - for none; default: its old one")
    .option("--key-file <file>", "file with the key of the export; default: <folder>.key")
    .option("--discard", "delete what an unfinished import has stored")
    .action(async (folder: string | undefined, options) => {
      const { readOrganization } = await import("../actions/transfer-organization.ts");
      await readOrganization(context, folder, options);
    });
  for (const [name, deactivated, description] of [
    ["deactivate", true, "Deactivates an organization: its accounts can do nothing any more."],
    ["reactivate", false, "Reactivates an organization."],
  ] as const)
    organization
      .command(name)
      .description(description)
      .option(...organizationOption)
      .action(async (options: Pick<LimitOptions, "organization">) => {
        const { setOrganizationDeactivated } = await import("../actions/organizations.ts");
        await setOrganizationDeactivated(context, options, deactivated);
      });
  addConvertCommand(organization, context);
  organization
    .command("list")
    .description("Lists the organizations: subdomain, name, active accounts, deactivated or not.")
    .action(async () => {
      const { showOrganizations } = await import("../actions/organizations.ts");
      await showOrganizations(context);
    });
}
