import { stripVTControlCharacters } from "node:util";
import { waitFor, type ApiCredentials, type TestProcess } from "@carillon/testkit";
import { expect } from "chai";
import { usePython } from "./support/python.ts";
import { useServer } from "./support/server.ts";

describe("The terminal client", function () {
  this.timeout(60_000);
  const python = usePython("CARILLON_TEST_TERMINAL");
  const server = useServer();

  /** An account that nobody has written to yet. */
  const newcomer = async (): Promise<ApiCredentials> => {
    const [email, password] = ["nora@carillon.test", "correct horse"];
    const made = await server
      .as("owner")
      .post("/api/v1/users", { email, password, full_name: "Nora New" });
    expect(made.status, made.text).to.equal(200);
    const login = { username: email, password };
    const { body } = await server.as(undefined).post("/api/v1/fetch_api_key", login);
    return { email, apiKey: String(body["api_key"]) };
  };
  const start = async (account: ApiCredentials): Promise<TestProcess> => {
    const options = ["--config-file", await server.zuliprc(account), "--no-notify"];
    const program = [python.path("zulip-term"), ...options];
    return python.script("terminal.py", program, { cwd: server.folder });
  };
  const shows = (terminal: TestProcess, text: string) =>
    waitFor(() => stripVTControlCharacters(terminal.output()).includes(text), {
      what: `the screen shows ${text}`,
      timeoutMs: 20_000,
    }).catch((error: Error) => {
      throw new Error(`${error.message}:\n${stripVTControlCharacters(terminal.output())}`);
    });

  it("starts for a newcomer, shows the welcome, and then a message as it is sent", async () => {
    const terminal = await start(await newcomer());
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
});
