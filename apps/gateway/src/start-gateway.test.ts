import { readEnvironment, Shutdown } from "@carillon/kit";
import {
  captureLog,
  createTestDatabase,
  organization,
  testSecretKey,
  type TestDatabase,
} from "@carillon/testkit";
import { expect } from "chai";

import { startGateway } from "./start-gateway.ts";

describe("A gateway as it is started", () => {
  let database: TestDatabase;
  before(async () => {
    database = await createTestDatabase();
  });
  after(() => database.drop());

  /** Runs one with these variables for as long as `use` takes. */
  async function running(
    variables: Record<string, string>,
    use: (url: string) => Promise<void>,
  ): Promise<void> {
    const { log } = captureLog();
    const shutdown = new Shutdown(log);
    const env = readEnvironment({
      DATABASE_URL: database.url,
      SECRET_KEY: testSecretKey,
      PORT: "0",
      ...variables,
    });
    try {
      const port = await startGateway(env, log, shutdown);
      await use(`http://127.0.0.1:${port}/api/v1`);
    } finally {
      await shutdown.run();
    }
  }

  it("tells clients whether it pushes", async () => {
    await organization(await database.connect());
    const pushes = async (url: string) => {
      const settings = await (await fetch(`${url}/server_settings`)).json();
      return (settings as Record<string, unknown>)["push_notifications_enabled"];
    };
    await running({}, async (url) => {
      expect(await pushes(url)).to.equal(false);
    });
    const bouncer = {
      PUSH_BOUNCER_URL: "https://push.example.com",
      PUSH_SERVER_ID: "9f6e1a7c-2b8d-4f5e-8a3b-6c1d0e9f7a42",
      PUSH_SERVER_KEY: "a-key-of-the-server",
    };
    await running(bouncer, async (url) => {
      expect(await pushes(url)).to.equal(true);
    });
  });

  it("says what its push bouncer lacks", async () => {
    const half = { PUSH_BOUNCER_URL: "https://push.example.com", PUSH_SERVER_KEY: "key" };
    const refusal = await running(half, () => Promise.resolve()).catch((error: Error) => error);
    expect(refusal?.message).to.match(/^PUSH_SERVER_ID is not set/);
  });
});
