import {
  askWithKey,
  useProcesses,
  waitFor,
  type Answer,
  type Params,
  type TestProcess,
} from "@carillon/testkit";
import { expect } from "chai";
import { useServer } from "./support/server.ts";
import { seriesSoon, soon } from "./support/soon.ts";

/** A message for the programs to end. */
const last = "That is all";

describe("A client in Go that refuses what it does not know", () => {
  const program = process.env["CARILLON_TEST_GO"] ?? "";
  before("look for the program", function () {
    if (program === "") this.skip();
  });
  const server = useServer();
  const processes = useProcesses();
  /** One program names the types of its events, and the other none. */
  const clients: TestProcess[] = [];
  let keys = 0;

  const member = () => server.as("member");
  const done = async (answer: Promise<Answer>) => {
    const { status, body, text } = await answer;
    expect(status, text).to.equal(200);
    return body;
  };
  const bells = { type: "channel", to: 1, topic: "bells" };
  /** Sends a request twice, as a client that got no first answer. */
  const withKey = async (path: string, params: Params) => {
    const asked = { path, params, key: `strict-${++keys}` };
    const first = await done(askWithKey(member(), asked));
    expect(await done(askWithKey(member(), asked))).to.deep.equal(first);
    return first;
  };
  /** Waits for a message that the member can read. */
  const untilSent = (content: string) =>
    waitFor(
      async () => {
        const window = { anchor: "newest", num_before: 100, num_after: 0, apply_markdown: false };
        const { body } = await member().get("/api/v1/messages", window);
        return (body["messages"] as ReadonlyArray<{ content: string }>).some((message) =>
          message.content.includes(content),
        );
      },
      { what: `"${content}" is sent`, timeoutMs: 30_000 },
    );
  const answered = (client: TestProcess, what: string) =>
    client.lines.find(({ msg }) => msg === what)?.["answer"] as Readonly<Record<string, number>>;

  before("use keys, series, conditions and the bot from another client", async () => {
    const file = await server.zuliprc("member");
    for (const kind of ["named", "all"]) {
      const client = processes.program(program, [file, kind], {});
      await client.waitForLine("registered");
      clients.push(client);
    }
    const { id } = await withKey("/api/v1/messages", { ...bells, content: "With a key" });
    await done(member().post(`/api/v1/messages/${String(id)}/reactions`, { emoji_name: "bell" }));
    const drafts = [{ type: "stream", to: [1], topic: "bells", content: "A draft" }];
    await withKey("/api/v1/drafts", { drafts });
    const later = { scheduled_delivery_timestamp: soon() + 3_600 };
    await withKey("/api/v1/reminders", { message_id: id, ...later });

    const alert = { ...bells, topic: "alerts", upsert_key: "disk" };
    for (const content of ["Disk full", "Disk emptied"])
      await done(member().post("/api/v1/messages", { ...alert, content }));

    const series = await withKey(
      "/api/v1/message_series",
      seriesSoon({ ...bells, content: "An occurrence {n}", template: true }),
    );
    const path = `/api/v1/message_series/${String(series["series_id"])}`;
    const unless = [{ kind: "reply" }, { kind: "check_in" }];
    const question = { ...bells, topic: "question" };
    const condition = { scheduled_delivery_timestamp: soon(), unless };
    await withKey("/api/v1/scheduled_messages", { ...question, content: "Not sent", ...condition });
    const checked = await withKey("/api/v1/scheduled_messages", {
      ...question,
      content: "Waits for a check-in",
      ...later,
      unless: [{ kind: "check_in", interval: 3_600 }],
    });
    const row = String(checked["scheduled_message_id"]);
    await done(member().post(`/api/v1/scheduled_messages/${row}/check_in`));
    await done(server.as("owner").post("/api/v1/messages", { ...question, content: "The reply" }));

    const asked = { event_types: [], fetch_event_types: ["realm_user"] };
    const { cross_realm_bots } = await done(member().post("/api/v1/register", asked));
    const bots = cross_realm_bots as ReadonlyArray<{ user_id: number; full_name: string }>;
    const bot = bots.find(({ full_name }) => full_name === "Scheduling Bot");
    for (const content of ["every weekday at 9:00 to me: Hello", "list"])
      await done(
        member().post("/api/v1/messages", { type: "direct", to: [bot?.user_id], content }),
      );
    for (const content of ["An occurrence 1", "To undo this", "are planned"])
      await untilSent(content);
    await waitFor(
      async () => {
        const { body } = await member().get("/api/v1/scheduled_messages/withheld");
        return (body["withheld_messages"] as unknown[]).length === 1;
      },
      { what: "the answered question is withheld", timeoutMs: 30_000 },
    );
    await done(member().post(`${path}/skip`));
    await done(member().patch(path, { content: "Another text" }));
    await done(member().post(`${path}/pause`));
    await done(member().post(`${path}/resume`));
    await done(member().post(`${path}/send`));
    await done(member().post("/api/v1/messages", { ...bells, content: last }));
  });

  for (const [i, which] of ["that it names", "that a queue gets without names"].entries())
    it(`knows all events ${which}, and all fields of answers`, async () => {
      const client = clients[i];
      if (!client) throw new Error("the program has not been started");
      expect(await client.exit, client.output()).to.include({ code: 0 });
      expect(answered(client, "events")).to.include.keys(
        "message",
        "update_message",
        "reaction",
        "drafts add",
        "reminders add",
        "scheduled_messages add",
        "scheduled_messages update",
        "scheduled_messages remove",
      );
      const lists = answered(client, "lists");
      expect(lists).to.include({ drafts: 1, reminders: 1, message_series: 2 });
      expect(lists["messages"]).to.be.greaterThan(8);
      expect(lists["scheduled_messages"]).to.be.greaterThan(3);
    });
});
