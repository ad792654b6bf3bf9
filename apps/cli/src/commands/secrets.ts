import type { Command } from "commander";

import type { Context } from "../context.ts";

/** `carillon secret-key …` and `carillon dashboard …` */
export function addSecretCommands(program: Command, context: Context): void {
  program
    .command("secret-key")
    .description("SECRET_KEY, which seals the API keys.")
    .command("rotate")
    .description(
      "Seals everything with another SECRET_KEY, while gateways and workers are stopped. With npm start the new one is made, and kept in DATA_DIR/secrets.json.",
    )
    .option("--new-key-file <file>", "a file with the new one, - for standard input")
    .option(
      "--old-key-file <file>",
      "the file that keeps the old one, mode 0600; in DATA_DIR/old-secret-keys unless given",
    )
    .action(async (options) => {
      const { rotateSecretKey } = await import("../work/secret-key.ts");
      await rotateSecretKey(context, options);
    });
  program
    .command("dashboard")
    .description("The dashboard of npm start.")
    .command("rotate-password")
    .description(
      "Gives the dashboard's operator another password, in DATA_DIR/secrets.json, for the next start.",
    )
    .option(
      "--password-file <file>",
      "a file with the new one, - for standard input; made unless given",
    )
    .action(async (options) => {
      const { rotateDashboardPassword } = await import("../work/dashboard-password.ts");
      await rotateDashboardPassword(context, options);
    });
}
