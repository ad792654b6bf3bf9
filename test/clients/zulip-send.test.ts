import { expect } from "chai";
import { usePython } from "./support/python.ts";
import { useServer } from "./support/server.ts";

describe("zulip-send", () => {
  const python = usePython();
  const server = useServer();

  const send = async (args: readonly string[]) =>
    python.program("zulip-send", ["--config-file", await server.zuliprc("member"), ...args]);
  const newestFor = async (name: "admin" | "guest") => {
    const { body } = await server.as(name).get("/api/v1/messages", {
      anchor: "newest",
      num_before: 1,
      num_after: 0,
      apply_markdown: false,
    });
    return (body["messages"] as ReadonlyArray<Record<string, unknown>>)[0];
  };

  it("sends to a channel, by its name", async () => {
    const where = ["--stream", "general", "--subject", "terminals"];
    const sending = await send([...where, "--message", "Sent by hand, *once*"]);
    expect(await sending.exit, sending.output()).to.include({ code: 0 });
    expect(await newestFor("admin")).to.include({
      type: "stream",
      display_recipient: "general",
      subject: "terminals",
      content: "Sent by hand, *once*",
      sender_email: server.account("member").email,
      client: "ZulipPython",
    });
  });

  it("sends to people, by their addresses", async () => {
    const people = [server.account("admin").email, server.account("guest").email];
    const sending = await send([...people, "--message", "Only the three of us"]);
    expect(await sending.exit, sending.output()).to.include({ code: 0 });
    for (const name of ["admin", "guest"] as const)
      expect(await newestFor(name)).to.include({
        type: "private",
        content: "Only the three of us",
      });
  });

  it("exits with an error, and sends nothing, for an unknown channel", async () => {
    const before = await newestFor("admin");
    const where = ["--stream", "nowhere", "--subject", "terminals"];
    const sending = await send([...where, "--message", "Lost"]);
    expect((await sending.exit).code, sending.output()).to.equal(1);
    expect(sending.output()).to.contain("nowhere");
    expect(await newestFor("admin")).to.deep.equal(before);
  });
});
