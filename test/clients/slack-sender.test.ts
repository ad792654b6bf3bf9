import { createBot } from "@carillon/contract";
import { waitFor } from "@carillon/testkit";
import { expect } from "chai";
import { usePython } from "./support/python.ts";
import { useServer } from "./support/server.ts";

describe("The sender of Slack's library for Python", () => {
  const python = usePython();
  const server = useServer();

  it("sends texts, blocks and attachments to the address of a bot, unchanged", async () => {
    const { api_key: key } = await server.as("owner").succeed(createBot, {
      params: { full_name: "Deploy Hook", short_name: "deploy", bot_type: 2 },
    });
    const query = new URLSearchParams({ api_key: key, stream: "general", topic: "deploys" });
    const address = `${server.url}/api/v1/external/slack_incoming?${query}`;
    const run = python.script("slack_sender.py", [address]);
    const answers = () => run.lines.filter(({ msg }) => msg === "answered");
    await waitFor(() => answers().length === 3, { what: "three answers", timeoutMs: 30_000 });
    expect(answers().map(({ status }) => status)).to.deep.equal([200, 200, 200]);
    const { body } = await server.as("owner").get("/api/v1/messages", {
      anchor: "newest",
      num_before: 10,
      num_after: 0,
      apply_markdown: false,
      narrow: [{ operator: "topic", operand: "deploys" }],
    });
    const messages = body["messages"] as ReadonlyArray<{ content: string; client: string }>;
    expect(messages.map(({ content }) => content)).to.deep.equal([
      "**Deploy** of [build 7](https://ci.example.com/7) @here",
      "## Release\n\n*Approve* it?\n\n| | |\n|-|-|\n| **Priority** | High |\n\n---",
      "Build\n\n## Build 7\n\nfailed\n\n**Branch**: main",
    ]);
    expect(messages[0]?.client).to.equal("ZulipSlackIncomingWebhook");
  });
});
