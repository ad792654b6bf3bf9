import { fileURLToPath } from "node:url";
import { useProcesses, waitFor, type TestProcess } from "@carillon/testkit";
import { expect } from "chai";
import { useServer } from "./support/server.ts";

const program = fileURLToPath(new URL("programs/zulip-js.mjs", import.meta.url));

type Answer = Readonly<Record<string, unknown>>;

describe("zulip-js", () => {
  const server = useServer();
  const processes = useProcesses();
  let client: TestProcess;
  before("start the program", async () => {
    const { email, password } = server.account("member");
    const file = await server.zuliprc("member");
    client = processes.script(program, [server.url, email, password ?? "", file], {});
  });

  const answer = async (call: string): Promise<Answer> => {
    const line = await client.waitForLine(new RegExp(`^${call}$`));
    return line["answer"] as Answer;
  };
  const success = async (call: string): Promise<Answer> => {
    const found = await answer(call);
    expect(found["result"], JSON.stringify(found)).to.equal("success");
    return found;
  };

  it("logs in with user name and password, and with a zuliprc", async () => {
    const { apiKey, email } = server.account("member");
    expect(await answer("log in")).to.deep.equal({ api_key: apiKey });
    expect(await success("users.me")).to.include({ email });
  });

  it("lists channels", async () => {
    const { streams } = await success("streams.retrieve");
    expect((streams as Answer[]).map(({ name }) => name)).to.deep.equal(["general"]);
  });

  it("sends to a channel by name, to a user by address, and reads both messages", async () => {
    const { id } = await success("messages.send");
    expect(id).to.be.a("number");
    await success("direct");
    const { messages } = await success("messages.retrieve");
    expect((messages as Answer[]).find((message) => message["id"] === id)).to.include({
      display_recipient: "general",
      subject: "zulip-js",
      content: "<p>From JavaScript</p>",
    });
  });

  it("registers a queue, gets the message from it and deletes it", async () => {
    const queue = await success("queues.register");
    expect(queue["queue_id"]).to.be.a("string");
    expect(queue["last_event_id"]).to.be.a("number");
    const { events } = await success("events.retrieve");
    expect(events).to.have.length(1);
    const { id } = await success("messages.send");
    const [event] = events as Answer[];
    expect(event).to.include({ type: "message" });
    expect(event?.["message"]).to.include({ id, content: "From JavaScript" });
    expect(event?.["flags"]).to.deep.equal([]);
    await success("queues.deregister");
  });

  it("receives events through callOnEachEvent", async () => {
    await client.waitForLine("messages.retrieve");
    const queues = async () => {
      const [row] = await server.db.rows<{ n: number }>(
        "SELECT count(*)::int AS n FROM event_queue",
      );
      return row?.n === 1;
    };
    await waitFor(queues, { what: "it has registered" });
    await server.as("owner").post("/api/v1/messages", {
      type: "channel",
      to: "general",
      topic: "zulip-js",
      content: "To JavaScript",
    });
    const event = await answer("event");
    expect(event).to.include({ type: "message" });
    expect(event["message"]).to.include({ content: "To JavaScript" });
  });
});
