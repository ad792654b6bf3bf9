import type { Command } from "commander";

import type { Context } from "../context.ts";

/** `carillon mail …` */
export function addMailCommands(program: Command, context: Context): void {
  program
    .command("mail")
    .description("Outgoing mail.")
    .command("test")
    .description("Sends one mail with SMTP_URL and MAIL_FROM, as workers do. Needs no database.")
    .argument("<address>", "recipient")
    .action(async (address: string) => {
      const { sendTestMail } = await import("../actions/test-mail.ts");
      await sendTestMail(context, address);
    });
}
