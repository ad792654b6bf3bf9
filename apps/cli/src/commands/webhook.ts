import type { Command } from "commander";

import type { Context } from "../context.ts";

/** `carillon webhook …` */
export function addWebhookCommands(program: Command, context: Context): void {
  const webhook = program
    .command("webhook")
    .description(
      "Endpoints of outgoing webhook bots, calls that were given up, and event subscriptions.",
    );
  webhook
    .command("list")
    .description(
      "Lists endpoints: bot, origin, state, calls that wait and that were given up, last call; then event subscriptions.",
    )
    .option(
      "--organization <subdomain>",
      "only of this organization; - for the organization without a subdomain",
    )
    .option("--dead", "list the calls that were given up instead, latest first")
    .option("--json", "one JSON object per line")
    .action(async (options) => {
      const { showWebhooks } = await import("../actions/webhooks.ts");
      await showWebhooks(context, options);
    });
  webhook
    .command("retry")
    .description(
      "Repeats calls that were given up: those with the given ids, or all of a bot. Run twice, it repeats each call once. With --subscription, it resumes an event subscription, whatever its state, and sends its next events at once.",
    )
    .argument("[calls...]", "ids of calls, as webhook list --dead prints them")
    .option("--bot <account>", "all of this bot: e-mail address or id")
    .option("--subscription <id>", "this event subscription instead, as webhook list prints it")
    .option(
      "--organization <subdomain>",
      "subdomain of the bot's organization, if there are several; - for the organization without a subdomain",
    )
    .action(async (calls: string[], options) => {
      const { retryCalls } = await import("../actions/webhooks.ts");
      await retryCalls(context, calls, options);
    });
  webhook
    .command("disable")
    .description(
      "Deactivates an outgoing webhook bot: its waiting calls end, and its endpoint gets no more calls. Its owner and administrators can reactivate it. With --subscription, disables an event subscription until its owner resumes it.",
    )
    .argument("[bot]", "e-mail address or id")
    .option("--subscription <id>", "this event subscription instead, as webhook list prints it")
    .option(
      "--organization <subdomain>",
      "subdomain of the bot's organization, if there are several; - for the organization without a subdomain",
    )
    .action(async (bot: string | undefined, options) => {
      const { disableWebhook } = await import("../actions/webhooks.ts");
      await disableWebhook(context, bot, options);
    });
}
