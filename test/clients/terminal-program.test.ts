import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { stripVTControlCharacters } from "node:util";
import {
  clientOf,
  waitFor,
  type ApiCredentials,
  type GatewayClient,
  type TestProcess,
} from "@carillon/testkit";
import { expect } from "chai";
import { usePython } from "./support/python.ts";
import { useServer } from "./support/server.ts";
import { seriesSoon } from "./support/soon.ts";

describe("The terminal client", () => {
  const python = usePython("CARILLON_TEST_TERMINAL");
  const server = useServer();

  /** An account without messages from others. */
  const newcomer = async (email: string, full_name: string): Promise<ApiCredentials> => {
    const password = "correct horse";
    const made = await server.as("owner").post("/api/v1/users", { email, password, full_name });
    expect(made.status, made.text).to.equal(200);
    const login = { username: email, password };
    const { body } = await server.as(undefined).post("/api/v1/fetch_api_key", login);
    return { email, apiKey: String(body["api_key"]) };
  };
  const start = async (account: ApiCredentials): Promise<TestProcess> => {
    const options = ["--config-file", await server.zuliprc(account), "--no-notify"];
    const program = [python.path("zulip-term"), ...options];
    return python.script("terminal.py", program, { cwd: server.folder, input: true });
  };
  /** Returns the output since the start, or since a position. */
  const drawn = (terminal: TestProcess, from = 0) =>
    stripVTControlCharacters(terminal.output()).slice(from);
  const shows = (terminal: TestProcess, text: string | RegExp, from = 0) =>
    waitFor(() => drawn(terminal, from).split(text).length > 1, {
      what: `the screen shows ${String(text)}`,
    }).catch((error: Error) => {
      throw new Error(`${error.message}:\n${drawn(terminal, from)}`);
    });
  const keysOf = (terminal: TestProcess) => (keys: string) => {
    const from = drawn(terminal).length;
    terminal.child.stdin?.write(keys);
    return { shows: (text: string | RegExp) => shows(terminal, text, from) };
  };
  /** Moves from the menu to the last message. Repeats the keys until they draw something: the program may discard early input. */
  const goToLastMessage = (terminal: TestProcess) => {
    const from = drawn(terminal).length;
    const moved = async () => {
      if (drawn(terminal).length > from) return true;
      keysOf(terminal)("lG");
      return false;
    };
    return waitFor(moved, { what: "the keys move to the last message", everyMs: 500 });
  };
  /** Sends to the channel to which all accounts are subscribed. @returns the message's id */
  const post = async (by: GatewayClient, content: string): Promise<number> => {
    const to = { type: "channel", to: "general", topic: "bells" };
    const { body } = await by.post("/api/v1/messages", { ...to, content });
    expect(body.result, body.msg).to.equal("success");
    return Number(body["id"]);
  };

  /** Errors in threads of the program, which it reports before it continues. */
  const threadExceptions = async () =>
    existsSync(exceptionLog()) ? readFile(exceptionLog(), "utf8") : "";
  const exceptionLog = () => join(server.folder, "zulip-terminal-thread-exceptions.log");

  it("starts for a new account, shows the welcome message, and then a message when it is sent", async () => {
    const terminal = await start(await newcomer("nora@carillon.test", "Nora New"));
    await shows(terminal, "Nora New (nora@carillon.test) - Carillon Demo");
    await shows(terminal, "This is a direct message: nobody else sees it.");
    await post(server.as("owner"), "Rung just now");
    await shows(terminal, "Rung just now");
    expect(terminal.running()).to.equal(true);
  });

  it("shows the source and the edit history of a message", async () => {
    const account = await newcomer("mona@carillon.test", "Mona New");
    const sender = clientOf(server.url, account);
    const id = await post(sender, "Rung loudly");
    const edited = await sender.patch(`/api/v1/messages/${id}`, { content: "Rung *softly* today" });
    expect(edited.status, edited.text).to.equal(200);
    const terminal = await start(account);
    const press = keysOf(terminal);
    await shows(terminal, "Rung softly today");
    await goToLastMessage(terminal);
    press("i");
    await shows(terminal, "Full raw message");
    press("r");
    await shows(terminal, "Rung *softly* today");
    // Goes back to the message's information, and on to its edit history.
    press("re");
    await shows(terminal, "Rung loudly");
    expect(terminal.running()).to.equal(true);
  });

  it("shows a channel's information, and lists its subscribers", async () => {
    const terminal = await start(await newcomer("lena@carillon.test", "Lena New"));
    const press = keysOf(terminal);
    await shows(terminal, "This is a direct message: nobody else sees it.");
    // Moves past the four entries of the menu to the first channel.
    await press("jjjji").shows("Stream ID");
    await press("m").shows("Lena New");
    expect(terminal.running()).to.equal(true);
  });

  it("registers again when its event queue is deleted, and receives further messages", async () => {
    const account = await newcomer("quinn@carillon.test", "Quinn New");
    const terminal = await start(account);
    await shows(terminal, "This is a direct message: nobody else sees it.");
    await post(server.as("owner"), "Heard by the first queue");
    await shows(terminal, "Heard by the first queue");
    const own = clientOf(server.url, account);
    const { user_id } = (await own.get("/api/v1/users/me")).body;
    const where = { userId: Number(user_id) };
    const queues = async () => server.db.prisma.eventQueue.findMany({ where });
    const [lost, ...others] = await queues();
    expect(others).to.deep.equal([]);
    // As after a night, when the server has deleted the event queue.
    const dropped = await own.delete("/api/v1/events", { queue_id: lost?.queueId ?? "" });
    expect(dropped.status, dropped.text).to.equal(200);
    await waitFor(async () => (await queues()).length > 0, {
      what: "it has registered again",
      timeoutMs: 30_000,
    });
    await post(server.as("owner"), "Heard by the second queue");
    await shows(terminal, "Heard by the second queue");
    expect(await threadExceptions()).to.equal("");
    expect(terminal.running()).to.equal(true);
  });

  it("reacts, shows who has reacted, stars, edits and searches", async () => {
    const account = await newcomer("rita@carillon.test", "Rita New");
    const own = clientOf(server.url, account);
    const owner = server.as("owner");
    const id = await post(own, "Rung by hand");
    const terminal = await start(account);
    const press = keysOf(terminal);
    await shows(terminal, "Rung by hand");
    await goToLastMessage(terminal);
    await press("+").shows(/:thumbs_up: You/);
    const reaction = await owner.post(`/api/v1/messages/${id}/reactions`, { emoji_name: "car" });
    expect(reaction.status, reaction.text).to.equal(200);
    const { fullName } = server.account("owner");
    await shows(terminal, `:car: ${fullName}`);
    await post(owner, "Rung after that");
    await shows(terminal, "Rung after that");

    const information = press("i");
    await information.shows(new RegExp(`car\\s+${fullName}`));
    await information.shows(/thumbs_up\s+Rita New/);
    await press("i").shows("Rung by hand");

    press("*");
    const message = async () => {
      const { body } = await own.get(`/api/v1/messages/${id}`);
      return body["message"] as { flags: string[]; content: string };
    };
    await waitFor(async () => (await message()).flags.includes("starred"), {
      what: "it is starred",
    });
    // Presses it again to remove the reaction; the other reaction is the first of its line now.
    await press("+").shows(/ {10}:car:/);

    await press("e").shows("Rung by hand");
    press(" again\u0004");
    await shows(terminal, /EDITED.*Rung by hand again/);
    await waitFor(async () => (await message()).content.includes("again"), {
      what: "it is edited",
    });

    const search = press("/hand\r");
    await search.shows("Search Results");
    await search.shows("Rung by hand again");
    await press("a").shows("Rung after that");
    await post(owner, "Rung last");
    await shows(terminal, "Rung last");
    expect(await threadExceptions()).to.equal("");
    expect(terminal.running()).to.equal(true);
  });

  it("shows the answer of the scheduling bot, the message of a series, and the notice of one that failed", async () => {
    const account = await newcomer("tess@carillon.test", "Tess New");
    const own = clientOf(server.url, account);
    const terminal = await start(account);
    await shows(terminal, "This is a direct message: nobody else sees it.");
    const asked = { event_types: [], fetch_event_types: ["realm_user"] };
    const { body } = await own.post("/api/v1/register", asked);
    const bots = body["cross_realm_bots"] as ReadonlyArray<{ user_id: number; full_name: string }>;
    const bot = bots.find(({ full_name }) => full_name === "Scheduling Bot");
    const content = "every weekday at 9:00 to #general > bells: Rung each weekday";
    const told = await own.post("/api/v1/messages", {
      type: "direct",
      to: [bot?.user_id],
      content,
    });
    expect(told.body.result, told.text).to.equal("success");
    await shows(terminal, /To undo this, write/);
    const message = { type: "channel", to: 1, topic: "bells", content: "Rung by a series" };
    const made = await own.post("/api/v1/message_series", seriesSoon(message));
    expect(made.body.result, made.text).to.equal("success");
    await shows(terminal, "Rung by a series");
    const doomed = await own.post("/api/v1/channels/create", { name: "doomed", subscribers: [] });
    const missing = { ...message, to: doomed.body["id"], content: "Never rung" };
    const second = await own.post("/api/v1/message_series", seriesSoon(missing));
    expect(second.body.result, second.text).to.equal("success");
    await server.as("owner").delete(`/api/v1/streams/${String(doomed.body["id"])}`);
    await shows(terminal, "could not be sent");
    expect(await threadExceptions()).to.equal("");
    expect(terminal.running()).to.equal(true);
  });
});
