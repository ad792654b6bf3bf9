import { getBotStorage } from "@carillon/contract";
import { waitFor } from "@carillon/testkit";
import { expect } from "chai";
import { usePython } from "./support/python.ts";
import { useServer } from "./support/server.ts";

describe("Bots of the package zulip_bots, started as usual", () => {
  const python = usePython();
  const server = useServer();
  let botId = 0;
  before("look the bot up", async () => {
    const { body } = await server.as("bot").get("/api/v1/users/me");
    botId = body["user_id"] as number;
  });

  const isListening = async () => {
    const rows = await server.db.rows("SELECT FROM event_queue WHERE user_id = $1", [botId]);
    return rows.length > 0;
  };

  /** Runs a bot during `work`; each run knows only what the bot has stored. */
  async function whileRunning(name: string, work: () => Promise<void>): Promise<void> {
    await server.db.rows("DELETE FROM event_queue WHERE user_id = $1", [botId]);
    const rc = await server.zuliprc("bot");
    const run = python.program("zulip-run-bot", [name, "--config-file", rc]);
    await waitFor(isListening, { what: `${name} listens`, timeoutMs: 60_000 });
    await work();
    await run.stop();
  }

  async function say(content: string, by: "owner" | "member" = "owner", to = {}): Promise<void> {
    const params = { type: "direct", to: [botId], content, ...to };
    const { body } = await server.as(by).post("/api/v1/messages", params);
    expect(body.result, body.msg).to.equal("success");
  }

  /** Returns the bot's messages as a user reads them now, oldest first. */
  async function answers(by: "owner" | "member" = "owner"): Promise<string[]> {
    const { body } = await server.as(by).get("/api/v1/messages", {
      anchor: "newest",
      num_before: 50,
      num_after: 0,
      apply_markdown: false,
      narrow: [{ operator: "sender", operand: botId }],
    });
    return (body["messages"] as ReadonlyArray<{ content: string }>).map(({ content }) => content);
  }

  const answered = (what: string, by: "owner" | "member" = "owner") =>
    waitFor(async () => (await answers(by)).some((content) => content.includes(what)), {
      what: `the bot says ${what}`,
      timeoutMs: 30_000,
    });
  const stored = async () => (await server.as("bot").succeed(getBotStorage)).storage;

  it("incrementor counts in one message, and stores its number", async () => {
    await whileRunning("incrementor", async () => {
      await say("count");
      await answered("1");
      await say("count");
      await answered("2");
      expect(await answers()).to.deep.equal(["2"]);
    });
    expect((await stored())["number"]).to.equal("2");
  });

  it("virtual_fs keeps directories and files", async () => {
    await whileRunning("virtual_fs", async () => {
      await say("mkdir home");
      await answered("directory created");
      await say("write home/note some text ✓");
      await answered("file written");
      await say("read home/note");
      await answered("some text ✓");
    });
    const files = Object.values(await stored()).find((value) => value.includes("user_paths"));
    expect(files).to.include("/home/note");
  });

  it("tictactoe remembers its players after a restart", async () => {
    const players = async () =>
      Object.keys(JSON.parse(JSON.parse((await stored())["users"] ?? '"{}"') as string) as object);
    await whileRunning("tictactoe", async () => {
      await say("rules", "member");
      await answered("Try to get three", "member");
    });
    const before = await players();
    expect(before.length).to.be.greaterThan(0);
    await whileRunning("tictactoe", async () => {
      const inChannel = { type: "channel", to: "general", topic: "games" };
      await say("@**Bert Bot** start game with @**Bert Bot**", "owner", inChannel);
      await answered("Welcome to tic-tac-toe");
      await say("@**Bert Bot** 5", "owner", inChannel);
      await answered("put a token at 5");
    });
    expect(await players()).to.include.members(before);
    expect((await players()).length).to.be.greaterThan(before.length);
  });
});
