import { stripVTControlCharacters } from "node:util";
import { clientOf, waitFor, type ApiCredentials, type TestProcess } from "@carillon/testkit";
import { expect } from "chai";
import { usePython } from "./support/python.ts";
import { useServer } from "./support/server.ts";

describe("The terminal client", function () {
  this.timeout(60_000);
  const python = usePython("CARILLON_TEST_TERMINAL");
  const server = useServer();

  /** An account that nobody has written to yet. */
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
  const shows = (terminal: TestProcess, text: string) =>
    waitFor(() => stripVTControlCharacters(terminal.output()).includes(text), {
      what: `the screen shows ${text}`,
      timeoutMs: 20_000,
    }).catch((error: Error) => {
      throw new Error(`${error.message}:\n${stripVTControlCharacters(terminal.output())}`);
    });

  it("starts for a newcomer, shows the welcome, and then a message as it is sent", async () => {
    const terminal = await start(await newcomer("nora@carillon.test", "Nora New"));
    await shows(terminal, "Nora New (nora@carillon.test) - Carillon Demo");
    await shows(terminal, "This is a direct message: nobody else sees it.");
    const { body } = await server.as("owner").post("/api/v1/messages", {
      type: "channel",
      to: "general",
      topic: "bells",
      content: "Rung just now",
    });
    expect(body.result, body.msg).to.equal("success");
    await shows(terminal, "Rung just now");
    expect(terminal.running()).to.equal(true);
  });

  it("shows a message as it was written, and what it was before", async () => {
    const account = await newcomer("mona@carillon.test", "Mona New");
    const sender = clientOf(server.url, account);
    const sent = await sender.post("/api/v1/messages", {
      type: "channel",
      to: "general",
      topic: "bells",
      content: "Rung *softly* today",
    });
    expect(sent.status, sent.text).to.equal(200);
    // Nothing writes it yet.
    await server.db.rows("UPDATE messages SET edit_history = $2 WHERE id = $1", [
      sent.body["id"],
      JSON.stringify([
        {
          user_id: null,
          timestamp: 1_750_000_000,
          prev_content: "Rung loudly",
          prev_rendered_content: "<p>Rung loudly</p>",
        },
      ]),
    ]);
    const terminal = await start(account);
    const press = (keys: string) => terminal.child.stdin?.write(keys);
    await shows(terminal, "Rung softly today");
    // From the menu to the messages, and there to the last one.
    press("lG");
    press("i");
    await shows(terminal, "Full raw message");
    press("r");
    await shows(terminal, "Rung *softly* today");
    // Back to what is said of the message, and on to its history.
    press("re");
    await shows(terminal, "Rung loudly");
    expect(terminal.running()).to.equal(true);
  });
});
