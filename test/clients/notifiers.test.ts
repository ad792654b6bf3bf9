import { createBot } from "@carillon/contract";
import { useProcesses } from "@carillon/testkit";
import { expect } from "chai";
import { usePython } from "./support/python.ts";
import { useServer } from "./support/server.ts";

/** Programs that send notifications to many services, configured by one URL (docs/integrations.md). */
describe("Programs for notifications", () => {
  const server = useServer();
  const processes = useProcesses();
  let key = "";

  before("create an incoming webhook bot", async () => {
    const { api_key } = await server.as("owner").succeed(createBot, {
      params: { full_name: "Notifier", short_name: "notifier", bot_type: 2 },
    });
    key = api_key;
  });

  /** Returns the address of an integration without its scheme, with the bot's key and channel. */
  const address = (integration: string, prefix: string, more: string) =>
    `127.0.0.1:${new URL(server.url).port}/api/v1/external/${integration}?${prefix}api_key=${key}&${prefix}stream=general&${more}`;
  /** Runs a program, and returns the new messages. */
  const sentBy = async (file: string, args: readonly string[]) => {
    const run = processes.program(file, args, {});
    expect((await run.exit).code, run.output()).to.equal(0);
    const { body } = await server.as("owner").get("/api/v1/messages", {
      anchor: "newest",
      num_before: 1,
      num_after: 0,
      apply_markdown: false,
      narrow: [{ operator: "channel", operand: "general" }],
    });
    const [message] = body["messages"] as ReadonlyArray<{ subject: string; content: string }>;
    return [message?.subject, message?.content];
  };

  describe("Apprise", () => {
    const python = usePython();
    const apprise = (url: string) =>
      sentBy(python.path("apprise"), [
        "-t",
        "Backups",
        "-b",
        "*Backup* <https://a.example|done>",
        url,
      ]);

    it("sends in Slack's format", async () => {
      const url = `json://${address("slack_incoming", "-", "-topic=nightly&:message=text")}`;
      expect(await apprise(url)).to.deep.equal([
        "nightly",
        "**Backup** [done](https://a.example/)",
      ]);
    });

    it("sends Markdown, with its title as the topic", async () => {
      const url = `json://${address("text", "-", ":message=content&:title=topic")}`;
      expect(await apprise(url)).to.deep.equal(["Backups", "*Backup* <https://a.example|done>"]);
    });
  });

  describe("Shoutrrr", () => {
    const program = process.env["CARILLON_TEST_SHOUTRRR"] ?? "";
    before("look for the program", function () {
      if (program === "") this.skip();
    });
    const shoutrrr = (url: string) =>
      sentBy(program, [
        "send",
        "-t",
        "Backups",
        "-m",
        "*Backup* <https://a.example|done>",
        "-u",
        url,
      ]);

    it("sends in Slack's format", async () => {
      const more = "topic=nightly&template=json&messagekey=text&disabletls=yes";
      expect(await shoutrrr(`generic://${address("slack_incoming", "", more)}`)).to.deep.equal([
        "nightly",
        "**Backup** [done](https://a.example/)",
      ]);
    });

    it("sends Markdown, with its title as the topic", async () => {
      const more = "template=json&messagekey=content&titlekey=topic&disabletls=yes";
      expect(await shoutrrr(`generic://${address("text", "", more)}`)).to.deep.equal([
        "Backups",
        "*Backup* <https://a.example|done>",
      ]);
    });
  });
});
