import type { Command } from "commander";

import type { Context } from "../context.ts";

/** `carillon doctor` */
export function addDoctorCommand(program: Command, context: Context): void {
  program
    .command("doctor")
    .description(
      "Looks whether configuration, database, Redis, migrations and clocks are in order, and changes nothing.",
    )
    .option("--json", "what it finds as JSON")
    .action(async (options) => {
      const { examine } = await import("../doctor/examine.ts");
      await examine(context, options);
    });
}
