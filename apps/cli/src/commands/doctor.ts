import type { Command } from "commander";

import type { Context } from "../context.ts";

/** `carillon doctor` */
export function addDoctorCommand(program: Command, context: Context): void {
  program
    .command("doctor")
    .description(
      "Checks configuration, database, Redis, mail, migrations, clocks and uploaded files. Changes nothing, but stores and deletes a small test file.",
    )
    .option("--all-files", "look up every uploaded file in the store, not a sample")
    .option("--json", "print the findings as JSON")
    .action(async (options) => {
      const { examine } = await import("../doctor/examine.ts");
      await examine(context, options);
    });
}
