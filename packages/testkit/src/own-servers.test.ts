import { connectDatabase } from "@carillon/db";
import { expect } from "chai";
import { startOwnPostgres, startOwnRedis } from "./own-servers.ts";
import { redisCommand } from "./redis.ts";
import { redisUrl } from "./servers.ts";

describe("Servers of a single suite", function () {
  it("restart PostgreSQL with its rows", async () => {
    const server = await startOwnPostgres();
    try {
      const first = await connectDatabase(server.url, { max: 1, name: "test" });
      await first.rows("INSERT INTO counters (name, value) VALUES ('kept', 7)");
      await server.stop("SIGINT");
      expect(await first.answers()).to.equal(false);
      await server.start();
      expect(await first.rows("SELECT value FROM counters")).to.deep.equal([{ value: 7 }]);
      await server.stop("SIGQUIT");
      await server.start();
      expect(await first.answers()).to.equal(true);
      await first.close();
    } finally {
      await server.close();
    }
  });

  it("restart Redis empty", async function () {
    if (!redisUrl()) this.skip();
    const server = await startOwnRedis();
    try {
      await redisCommand(server.url, "SET name value");
      expect(await redisCommand(server.url, "GET name")).to.equal("$5\r\nvalue\r\n");
      await server.stop("SIGKILL");
      const error: unknown = await redisCommand(server.url, "PING").catch((e: unknown) => e);
      expect(error).to.include({ code: "ECONNREFUSED" });
      await server.start();
      expect(await redisCommand(server.url, "DBSIZE")).to.equal(":0\r\n");
      expect(await redisCommand(server.url, "NONSENSE").catch((e: Error) => e.message)).to.match(
        /^Redis refuses NONSENSE: ERR unknown command/,
      );
    } finally {
      await server.close();
    }
  });
});
