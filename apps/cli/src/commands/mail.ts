import type { Command } from "commander";

import type { Context } from "../context.ts";

/** `carillon mail …` */
export function addMailCommands(program: Command, context: Context): void {
  program
    .command("mail")
    .description("Outgoing mail.")
    .command("test")
    .description(
      "Sends one mail to an address, by the SMTP_URL and MAIL_FROM that workers have. Needs no database.",
    )
    .argument("<address>", "who gets it")
    .action(async (address: string) => {
      const { sendTestMail } = await import("../work/test-mail.ts");
      await sendTestMail(context, address);
    });
}
