import { useDatabase } from "@carillon/testkit";
import { expect } from "chai";

import { connectDatabase } from "./connect-database.ts";
import { isTransient } from "./sql-errors.ts";

describe("createPool", () => {
  const db = useDatabase();

  it("releases the locks of a vanished process within ten seconds", async () => {
    const own = await connectDatabase(db.url, { max: 1, name: "defaults" });
    try {
      const [settings] = await own.rows(
        `SELECT current_setting('idle_in_transaction_session_timeout') AS idle,
           current_setting('tcp_user_timeout') AS unacknowledged, current_setting('tcp_keepalives_idle') AS alive`,
      );
      expect(settings).to.deep.equal({ idle: "10s", unacknowledged: "10000", alive: "10" });
    } finally {
      await own.close();
    }
  });

  it("reports a transaction that the server ended as a passing failure", async () => {
    const url = new URL(db.url);
    url.searchParams.set("idle_in_transaction_session_timeout", "100");
    const impatient = await connectDatabase(url.href, { max: 1, name: "impatient" });
    try {
      const ended = impatient.transaction(async (tx) => {
        const own = await tx.first<{ pid: number }>("SELECT pg_backend_pid() AS pid");
        // Looks at the server and not at the clock: there it is gone.
        while (
          (await db.rows("SELECT FROM pg_stat_activity WHERE pid = $1", [own?.pid])).length > 0
        );
        await tx.rows("SELECT 1");
      });
      const error: unknown = await ended.catch((thrown: unknown) => thrown);
      expect(isTransient(error), String(error)).to.equal(true);
      expect(await impatient.rows("SELECT 1 AS one")).to.deep.equal([{ one: 1 }]);
    } finally {
      await impatient.close();
    }
  });
});
