import { waitFor, type LogLine, type TestProcess } from "@carillon/testkit";
import { expect } from "chai";
import { usePython } from "./support/python.ts";
import { useServer } from "./support/server.ts";

/** Time in milliseconds within which the bot must answer; later, people would send their message again. */
const promptly = 1_000;
const topic = "with a bot";

describe("A bot in Python", () => {
  const python = usePython();
  const server = useServer();
  let bot: TestProcess;
  before("start the bot", async () => {
    bot = python.script("bot.py", [await server.zuliprc("bot")]);
    await bot.waitForLine("registered");
  });

  const said = (what: string): LogLine[] => bot.lines.filter(({ msg }) => msg === what);
  const send = async (content: string, url = server.url) => {
    const { body } = await server
      .as("owner", url)
      .post("/api/v1/messages", { type: "channel", to: "general", topic, content });
    expect(body.result, body.msg).to.equal("success");
  };
  /** Waits until the owner can read this message. */
  const answered = (content: string, timeoutMs?: number) =>
    waitFor(
      async () => {
        const { body } = await server.as("owner").get("/api/v1/messages", {
          anchor: "newest",
          num_before: 10,
          num_after: 0,
          apply_markdown: false,
        });
        return (body["messages"] as ReadonlyArray<{ content: string }>).some(
          (message) => message.content === `You said: ${content}`,
        );
      },
      { what: `the bot answers to ${content}`, ...(timeoutMs === undefined ? {} : { timeoutMs }) },
    );

  it("answers a mention within a second", async () => {
    await send("@**Bert Bot** Are you awake?");
    await answered("@**Bert Bot** Are you awake?");
    // After the modules are loaded.
    await send("@**Bert Bot** Ready?");
    await answered("@**Bert Bot** Ready?", promptly);
  });

  it("answers a direct message that mentions it", async () => {
    const content = "@**Bert Bot** Between us";
    const { body } = await server.as("owner").post("/api/v1/messages", {
      type: "direct",
      to: [server.account("bot").email],
      content,
    });
    expect(body.result, body.msg).to.equal("success");
    await answered(content);
  });

  for (const [how, title] of [
    ["stop", "is told to end"],
    ["kill", "is killed"],
  ] as const) {
    it(`continues with its queue when the gateway ${title}, and receives every message once, in order`, async () => {
      const elsewhere = await server.secondGateway();
      const numbers = Array.from({ length: 30 }, (_, number) => `${how} ${number}`);
      const sendSome = async (from: number, to: number) => {
        for (const content of numbers.slice(from, to)) await send(content, elsewhere);
      };
      await sendSome(0, 5);
      // While the gateway stops, while none runs, and while it starts.
      await Promise.all([server.stopGateway(how), sendSome(5, 15)]);
      await sendSome(15, 20);
      await Promise.all([server.startGateway(), sendSome(20, 30)]);

      const heard = () =>
        said("heard")
          .map((line) => String(line["content"]))
          .filter((content) => content.startsWith(`${how} `));
      await waitFor(() => heard().length >= numbers.length, {
        what: "the bot has heard everything",
        timeoutMs: 30_000,
      });
      await send(`@**Bert Bot** Back after ${how}?`);
      await answered(`@**Bert Bot** Back after ${how}?`);
      expect(heard()).to.deep.equal(numbers);
      const ids = said("heard").map((line) => Number(line["event"]));
      expect(ids).to.deep.equal(ids.toSorted((a, b) => a - b));
      expect(new Set(ids).size).to.equal(ids.length);
      expect(said("registered"), "it had to register again").to.have.length(1);
    });
  }
});
