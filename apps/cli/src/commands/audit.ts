import { type Command, InvalidArgumentError } from "commander";

import type { Context } from "../context.ts";

const maxLines = 10_000;

/** `carillon audit` */
export function addAuditCommand(program: Command, context: Context): void {
  program
    .command("audit")
    .description("Shows the audit log, latest entries first.")
    .option(
      "--organization <subdomain>",
      "subdomain of an organization; - for the organization without a subdomain; default: all",
    )
    .option(
      "--since <when>",
      "from this time: 2026-11-23T12:00:00Z, 2026-11-23, or a span ago: 90m, 12h, 7d",
    )
    .option("--until <when>", "before this time, in the same formats")
    .option("--account <account>", "acting or affected account: e-mail address or id")
    .option("--kind <type>", "type of entry, such as user_deactivated")
    .option("--limit <lines>", `number of entries, at most ${maxLines}`, count, 100)
    .option("--json", "one JSON object per line")
    .action(async (options) => {
      const { showAudit } = await import("../actions/audit.ts");
      await showAudit(context, options);
    });
}

function count(text: string): number {
  const lines = Number(text);
  if (/^\d{1,5}$/.test(text) && lines >= 1 && lines <= maxLines) return lines;
  throw new InvalidArgumentError(`It must be a number from 1 to ${maxLines}.`);
}
