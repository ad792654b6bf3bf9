import type { Command } from "commander";

import type { Context } from "../context.ts";

/** `carillon files …` */
export function addFilesCommands(program: Command, context: Context): void {
  program
    .command("files")
    .description("Uploaded files.")
    .command("move")
    .description(
      "Copies all uploaded files between the store that the variables name and another one, while everything runs. Continues where an interrupted run ended. Leaves the source as it is, unless --delete-source is given.",
    )
    .option("--to-folder <folder>", "copy to this folder")
    .option(
      "--to-bucket <file>",
      "copy to the bucket whose variables (S3_BUCKET=…) are in the file",
    )
    .option("--from-folder <folder>", "copy from this folder")
    .option(
      "--from-bucket <file>",
      "copy from the bucket whose variables (S3_BUCKET=…) are in the file",
    )
    .option("--verify", "also compare the hashes of files that were copied before")
    .option(
      "--delete-source",
      "with --from-…, when nothing uses it any more: delete each file there after comparing its copy",
    )
    .action(async (options) => {
      const { moveFiles } = await import("../actions/move-files.ts");
      await moveFiles(context, options);
    });
}
