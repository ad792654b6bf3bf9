import { readEnvironment, Shutdown } from "@carillon/kit";
import {
  captureLog,
  createTestDatabase,
  organization,
  testSecretKey,
  type LogLine,
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
    use: (url: string, logged: readonly LogLine[]) => Promise<void>,
  ): Promise<void> {
    const { log, lines } = captureLog();
    const shutdown = new Shutdown(log);
    const env = readEnvironment({
      DATABASE_URL: database.url,
      SECRET_KEY: testSecretKey,
      PORT: "0",
      ...variables,
    });
    try {
      const port = await startGateway(env, log, shutdown);
      await use(`http://127.0.0.1:${port}/api/v1`, lines);
    } finally {
      await shutdown.run();
    }
  }

  it("does not pretend that it pushes, and says so", async () => {
    await organization(await database.connect());
    const variables = {
      PUSH_BOUNCER_URL: "https://push.example.com",
      PUSH_SERVER_ID: "9f6e1a7c",
    };
    await running(variables, async (url, logged) => {
      const settings = await (await fetch(`${url}/server_settings`)).json();
      expect(settings).to.include({ result: "success", push_notifications_enabled: false });
      const warnings = logged.filter(({ level }) => level === 40).map(({ msg }) => msg);
      for (const name of Object.keys(variables))
        expect(warnings.filter((text) => text.startsWith(`${name} is set`))).to.have.length(1);
    });
  });
});
