import { readFile } from "node:fs/promises";
import { type GatewayClient, nth, waitFor } from "@carillon/testkit";
import { expect } from "chai";
import { waitTimeoutMs } from "./patience.ts";

/** The README's sentence about scheduling by message: the bot's name, and what to write to it. */
async function readmeCommands(): Promise<{ bot: string; commands: readonly string[] }> {
  const text = await readFile(new URL("../../../README.md", import.meta.url), "utf8");
  const [, bot = "", rest = ""] = /write to the \*\*([^*]+)\*\*([^]*?)\n\n/.exec(text) ?? [];
  return { bot, commands: [...rest.matchAll(/`([^`]+)`/g)].map(([, command = ""]) => command) };
}

/**
 * Does what the README says of the scheduling bot, as the account: expects that the welcome message names the bot, and that
 * each command is done. Undoes them in the way that the bot's answers say.
 */
export async function expectReadmeCommands(client: GatewayClient): Promise<void> {
  const { bot, commands } = await readmeCommands();
  const [once = "", daily = "", help = "", ...others] = commands;
  expect(others).to.deep.equal([]);
  const asked = { event_types: [], fetch_event_types: ["realm_user"] };
  const { body } = await client.post("/api/v1/register", asked);
  const bots = body["cross_realm_bots"] as ReadonlyArray<{ user_id: number; full_name: string }>;
  const id = bots.find(({ full_name }) => full_name === bot)?.user_id;
  const [welcome] = await read(client, [{ operator: "is", operand: "dm" }]);
  expect(welcome).to.contain(bot);

  let answered = 0;
  const ask = async (content: string): Promise<string> => {
    const sent = await client.post("/api/v1/messages", { type: "direct", to: [id], content });
    expect(sent.status, sent.text).to.equal(200);
    const narrow = [{ operator: "sender", operand: id }];
    const answers = await waitFor(
      async () => {
        const all = await read(client, narrow);
        return all.length > answered && all;
      },
      { what: `the answer to ${content}`, timeoutMs: waitTimeoutMs },
    );
    expect(answers, content).to.have.length(++answered);
    return answers.at(-1) ?? "";
  };

  const planned = await ask(once);
  const { channel, topic, text } = placeOf(once);
  const { body: scheduled } = await client.get("/api/v1/scheduled_messages");
  const messages = scheduled["scheduled_messages"] as readonly Scheduled[];
  expect(messages).to.have.length(1);
  const { scheduled_message_id: number, scheduled_delivery_timestamp: at } = nth(messages, 0);
  expect(messages[0]).to.include({ topic, content: text });
  expect(planned)
    .to.contain(`**${channel}>${topic}**`)
    .and.to.contain(`<time:${new Date(at * 1_000).toISOString()}>`)
    .and.to.contain(`cancel ${number}`);

  const repeated = await ask(daily);
  const { body: series } = await client.get("/api/v1/message_series");
  expect(series["message_series"]).to.have.length(1);
  const rule = (series["message_series"] as ReadonlyArray<{ series_id: number }>)[0];
  expect(rule).to.include({ topic: placeOf(daily).topic, content: placeOf(daily).text });
  expect(await ask(help)).to.contain("send tomorrow 9:00");

  for (const answer of [planned, repeated]) {
    const [, undo = ""] = /To undo this, write `([^`]+)`/.exec(answer) ?? [];
    expect(await ask(undo)).to.contain("cancelled");
  }
  expect(await ask("list")).to.equal("Nothing is planned.");
}

/** Returns the channel, the topic and the text of a command. */
function placeOf(command: string) {
  const [, channel = "", topic = "", text = ""] = / to #(.+) > (.+?): (.+)$/.exec(command) ?? [];
  return { channel, topic, text };
}

interface Scheduled {
  readonly scheduled_message_id: number;
  readonly scheduled_delivery_timestamp: number;
}

/** Returns the newest messages of a narrow as Markdown, oldest first. */
async function read(client: GatewayClient, narrow: readonly object[]): Promise<string[]> {
  const { body } = await client.get("/api/v1/messages", {
    anchor: "newest",
    num_before: 100,
    num_after: 0,
    apply_markdown: false,
    narrow,
  });
  return (body["messages"] as ReadonlyArray<{ content: string }>).map(({ content }) => content);
}
