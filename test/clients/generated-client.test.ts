import { rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { getOwnUser, listChannels, type ScheduledMessageResource } from "@carillon/contract";
import { expect } from "chai";
import { usePython } from "./support/python.ts";
import { useServer } from "./support/server.ts";

interface Answer {
  readonly result: string;
  readonly code?: string;
  readonly scheduled_message_id?: number;
  readonly scheduled_messages?: readonly ScheduledMessageResource[];
}

describe("A client that is generated from the OpenAPI document", () => {
  const python = usePython("CARILLON_TEST_GENERATOR");
  const server = useServer();

  it("schedules messages to a channel and to people, lists and deletes them", async () => {
    const [document, generated] = ["openapi.json", "generated"].map((name) =>
      join(server.folder, name),
    ) as [string, string];
    const { text } = await server.as(undefined).get("/api/v1/openapi.json");
    await writeFile(document, text);
    const generator = python.program("openapi-python-client", [
      "generate",
      `--path=${document}`,
      `--output-path=${generated}`,
      "--meta=none",
      "--overwrite",
    ]);
    expect(await generator.exit, generator.output()).to.include({ code: 0 });

    const { email, apiKey } = server.account("member");
    const { streams } = await server.as("member").succeed(listChannels);
    const channel = streams[0]?.stream_id ?? 0;
    const people = await Promise.all(
      (["owner", "guest"] as const).map(
        async (name) => (await server.as(name).succeed(getOwnUser)).user_id,
      ),
    );
    const when = Math.floor(Date.now() / 1_000) + 86_400;
    const program = python.script(
      "generated.py",
      [server.folder, server.url, email, apiKey, ...[when, channel, ...people].map(String)],
      {},
    );
    expect(await program.exit, program.output()).to.include({ code: 0 });
    await rm(generated, { recursive: true });

    const answers = (name: string) =>
      program.lines.filter(({ msg }) => msg === name).map(({ answer }) => answer as Answer);
    const [listed] = answers("list");
    const content = "Written by a program & sent = 100 %: ä 🔔";
    expect(
      listed?.scheduled_messages?.map((message) => [message.type, message.to, message.content]),
    ).to.deep.equal([
      ["stream", channel, content],
      ["stream", channel, content],
      ["private", people, content],
    ]);
    expect(answers("delete").map(({ result }) => result)).to.deep.equal(Array(3).fill("success"));
    expect(answers("list after")[0]?.scheduled_messages).to.deep.equal([]);
    expect(answers("delete again")[0]).to.include({ result: "error", code: "BAD_REQUEST" });
  });
});
