import type { Command } from "commander";

import type { Context } from "../context.ts";

/** `carillon secret-key …` and `carillon dashboard …` */
export function addSecretCommands(program: Command, context: Context): void {
  program
    .command("secret-key")
    .description("SECRET_KEY, which encrypts API keys.")
    .command("rotate")
    .description(
      "Re-encrypts all secrets with a new SECRET_KEY. Gateways and workers must be stopped. With npm start, the new key is generated and kept in DATA_DIR/secrets.json.",
    )
    .option("--new-key-file <file>", "file with the new key, - for standard input")
    .option(
      "--old-key-file <file>",
      "file to keep the old key in, mode 0600; default: in DATA_DIR/old-secret-keys",
    )
    .action(async (options) => {
      const { rotateSecretKey } = await import("../actions/secret-key.ts");
      await rotateSecretKey(context, options);
    });
  program
    .command("dashboard")
    .description("The dashboard of npm start.")
    .command("rotate-password")
    .description(
      "Changes the dashboard operator's password in DATA_DIR/secrets.json, for the next start.",
    )
    .option(
      "--password-file <file>",
      "file with the new password, - for standard input; default: generated",
    )
    .action(async (options) => {
      const { rotateDashboardPassword } = await import("../actions/dashboard-password.ts");
      await rotateDashboardPassword(context, options);
    });
}
