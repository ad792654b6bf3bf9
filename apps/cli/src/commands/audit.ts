import { type Command, InvalidArgumentError } from "commander";

import type { Context } from "../context.ts";

const mostLines = 10_000;

/** `carillon audit` */
export function addAuditCommand(program: Command, context: Context): void {
  program
    .command("audit")
    .description("Shows the audit log: who did what to whom, and when. The latest lines first.")
    .option(
      "--organization <subdomain>",
      "one organization; - for the one without; all unless given",
    )
    .option(
      "--since <when>",
      "from a time on: 2026-11-23T12:00:00Z, 2026-11-23, or ago: 90m, 12h, 7d",
    )
    .option("--until <when>", "before a time, likewise")
    .option("--account <account>", "who did it or had it done: an e-mail address, or an id")
    .option("--kind <type>", "of one kind, such as user_deactivated")
    .option("--limit <lines>", `how many lines, ${mostLines} at most`, count, 100)
    .option("--json", "a JSON object a line")
    .action(async (options) => {
      const { showAudit } = await import("../work/audit.ts");
      await showAudit(context, options);
    });
}

function count(text: string): number {
  const lines = Number(text);
  if (/^\d{1,5}$/.test(text) && lines >= 1 && lines <= mostLines) return lines;
  throw new InvalidArgumentError(`It must be a number from 1 to ${mostLines}.`);
}
