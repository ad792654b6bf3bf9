import type { Command } from "commander";

import type { Context } from "../context.ts";

/** `carillon migrate`, `carillon backup` and `carillon restore` */
export function addBackupCommands(program: Command, context: Context): void {
  program
    .command("backup")
    .description(
      "Writes the whole database and the uploaded files into a file, while everything runs. The file does not contain SECRET_KEY: keep that elsewhere.",
    )
    .argument("<file>", "must not exist; - for standard output")
    .option(
      "--files",
      "also copy uploaded files that are in a bucket; those in a folder always are",
    )
    .option("--without-files", "leave out uploaded files")
    .option(
      "--bouncer",
      "the push bouncer's database: BOUNCER_DATABASE_URL, or the one of npm start",
    )
    .action(async (file: string, options) => {
      const { backUp } = await import("../actions/backup.ts");
      await backUp(context, file, options);
    });
  program
    .command("restore")
    .description(
      "Restores a backup into an empty database or a DATA_DIR without one, on the same PostgreSQL version or a newer one. Writes its uploaded files to the folder or bucket that the variables name.",
    )
    .argument("<file>", "- for standard input")
    .option("--without-files", "restore no uploaded files")
    .option(
      "--secret-key-file <file>",
      "file with the SECRET_KEY of the backup, - for standard input",
    )
    .option("--without-secrets", "for a lost SECRET_KEY: every account gets a new API key")
    .option(
      "--bouncer",
      "restore the push bouncer's database, into BOUNCER_DATABASE_URL or beside the restored one of npm start",
    )
    .action(async (file: string, options) => {
      const { restore } = await import("../actions/restore.ts");
      await restore(context, file, options);
    });
  program
    .command("migrate")
    .description("Applies the migrations of this version to the database.")
    .action(async () => {
      const { migrate } = await import("../actions/migrate.ts");
      await migrate(context);
    });
}
