import { Argument, type Command } from "commander";

import type { Context } from "../context.ts";

/** Adds the command `carillon organization convert`. */
export function addConvertCommand(organization: Command, context: Context): void {
  organization
    .command("convert")
    .description(
      "Converts an export of Slack or Zulip into a folder that can be imported. Needs no database. FOLDER-report.ndjson lists what cannot be carried over.",
    )
    .addArgument(
      new Argument("<program>", "the program that made the export").choices(["slack", "zulip"]),
    )
    .argument(
      "<file>",
      "the export: a zip file of Slack, a tarball of Zulip, or a folder with its files",
    )
    .requiredOption("--to <folder>", "folder to write; must not exist")
    .option("--name <name>", "name of the organization")
    .option(
      "--files <folder>",
      "Slack: folder or zip file with the contents of files, by their ids: F0123ABCD/name.png",
    )
    .option("--topic <topic>", "Slack: topic of messages outside threads", "general")
    .option(
      "--url <url>",
      "Zulip: address of the organization there; links to it become links to the new one",
    )
    .action(async (program: "slack" | "zulip", file: string, options) => {
      const { convert } = await import("../actions/convert-export.ts");
      await convert(context, program, file, options);
    });
}
