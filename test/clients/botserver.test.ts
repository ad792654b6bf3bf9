import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { createBot, getBotWebhook } from "@carillon/contract";
import { reservePort, waitFor } from "@carillon/testkit";
import { expect } from "chai";
import { usePython } from "./support/python.ts";
import { useServer } from "./support/server.ts";

describe("The bot server of the package zulip_botserver, started as usual", () => {
  const python = usePython();
  const server = useServer(async () => ({ OUTGOING_ALLOWED_NETWORKS: "127.0.0.0/8" }));
  let botId = 0;

  before("create an outgoing webhook bot, and start a bot server for it", async () => {
    const port = await reservePort();
    const owner = server.as("owner");
    const { user_id, api_key } = await owner.succeed(createBot, {
      params: {
        full_name: "Hello Bot",
        short_name: "hello",
        bot_type: 3,
        payload_url: `http://127.0.0.1:${port}/`,
      },
    });
    botId = user_id;
    const { token } = await owner.succeed(getBotWebhook, { path: { bot_id: botId } });
    const { body } = await owner.get(`/api/v1/users/${botId}`);
    const { email } = body["user"] as { email: string };
    const rc = join(server.folder, "botserverrc");
    await writeFile(
      rc,
      `[helloworld]\nemail=${email}\nkey=${api_key}\nsite=${server.url}\ntoken=${token}\n`,
    );
    python.program("zulip-botserver", ["--config-file", rc, "--port", String(port)]);
    await waitFor(
      async () => (await fetch(`http://127.0.0.1:${port}/`).catch(() => undefined))?.status === 405,
      { what: "the bot server listens", timeoutMs: 60_000 },
    );
  });

  const say = async (params: object) => {
    const { body } = await server.as("owner").post("/api/v1/messages", { ...params });
    expect(body.result, body.msg).to.equal("success");
  };
  const answers = async () => {
    const { body } = await server.as("owner").get("/api/v1/messages", {
      anchor: "newest",
      num_before: 50,
      num_after: 0,
      apply_markdown: false,
      narrow: [{ operator: "sender", operand: botId }],
    });
    return body["messages"] as ReadonlyArray<{ content: string; type: string; subject: string }>;
  };
  const answered = (type: string) =>
    waitFor(async () => (await answers()).find((message) => message.type === type), {
      what: `the bot answers in a ${type} message`,
      timeoutMs: 30_000,
    });

  it("answers a mention in its topic", async () => {
    const to = { type: "channel", to: "general", topic: "greetings" };
    await say({ ...to, content: "@**Hello Bot** hello" });
    expect(await answered("stream")).to.include({ subject: "greetings", content: "beep boop" });
  });

  it("answers a direct message", async () => {
    await say({ type: "direct", to: [botId], content: "hello" });
    expect(await answered("private")).to.include({ content: "beep boop" });
    expect(await answers()).to.have.length(2);
  });
});
