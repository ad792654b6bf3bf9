import type { Command } from "commander";

import type { Context } from "../context.ts";

/** `carillon migrate`, `carillon backup` and `carillon restore` */
export function addBackupCommands(program: Command, context: Context): void {
  program
    .command("backup")
    .description(
      "Writes all that the database has into a file, while everything runs. It has no SECRET_KEY: keep that elsewhere.",
    )
    .argument("<file>", "must not be there; - for standard output")
    .option("--bouncer", "the push bouncer's database: BOUNCER_DATABASE_URL, or that of npm start")
    .action(async (file: string, options) => {
      const { backUp } = await import("../work/backup.ts");
      await backUp(context, file, options);
    });
  program
    .command("restore")
    .description(
      "Brings a backup into an empty database, or into a DATA_DIR without one, of the same PostgreSQL or a newer one.",
    )
    .argument("<file>", "- for standard input")
    .option(
      "--secret-key-file <file>",
      "a file with the SECRET_KEY of the backup, - for standard input",
    )
    .option(
      "--without-secrets",
      "the SECRET_KEY of the backup is lost: every account gets another API key",
    )
    .option(
      "--bouncer",
      "a backup of the push bouncer's database, into BOUNCER_DATABASE_URL or beside the restored one of npm start",
    )
    .action(async (file: string, options) => {
      const { restore } = await import("../work/restore.ts");
      await restore(context, file, options);
    });
  program
    .command("migrate")
    .description(
      "Brings the database of DATABASE_URL to the state that this version was built with.",
    )
    .action(async () => {
      const { migrate } = await import("../work/migrate.ts");
      await migrate(context);
    });
}
