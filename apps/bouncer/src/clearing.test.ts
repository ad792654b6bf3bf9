import { randomUUID } from "node:crypto";
import { useBouncer } from "@carillon/testkit";
import { expect } from "chai";
import { clearOnce } from "./clearing.ts";
import { register } from "./test-support/call.ts";

describe("The bouncer's clearing of calls", () => {
  const bouncer = useBouncer();

  it("deletes calls after a day, also from two processes at once", async () => {
    const { id } = await bouncer.addServer();
    await bouncer.store.rows(
      `INSERT INTO notify_call (server_id, idempotency_key, devices, created_at)
       SELECT $1, 'call ' || n, '{}', now() - make_interval(hours => CASE n WHEN 1 THEN 23 ELSE 25 END)
       FROM generate_series(1, 2500) AS n`,
      [id],
    );
    await Promise.all([clearOnce(bouncer.store), clearOnce(bouncer.store)]);
    expect(
      await bouncer.store.rows("SELECT idempotency_key AS key FROM notify_call"),
    ).to.deep.equal([{ key: "call 1" }]);
  });

  it("finds old calls by an index", async () => {
    const { id } = await bouncer.addServer();
    await bouncer.store.rows(
      `INSERT INTO notify_call (server_id, idempotency_key, devices)
       SELECT $1, 'new ' || n, '{}' FROM generate_series(1, 20000) AS n`,
      [id],
    );
    await bouncer.store.rows("ANALYZE notify_call");
    const plan = await bouncer.store.rows<{ "QUERY PLAN": string }>(
      `EXPLAIN SELECT FROM notify_call WHERE created_at < now() - interval '24 hours'
       ORDER BY created_at LIMIT 1000`,
    );
    expect(JSON.stringify(plan)).to.include("notify_call_created_at_idx");
    await bouncer.store.rows("TRUNCATE notify_call");
  });

  it("deletes rate slices older than two minutes", async () => {
    const server = await bouncer.addServer({ rateLimit: 5 });
    await register(bouncer, server, {});
    await bouncer.store.rows("INSERT INTO rate_hit VALUES ($1, 7, 5), ($2, 8, 5)", [
      server.id,
      server.id,
    ]);
    await clearOnce(bouncer.store);
    const left = await bouncer.store.rows("SELECT hits FROM rate_hit WHERE server_id = $1", [
      server.id,
    ]);
    expect(left).to.deep.equal([{ hits: 1 }]);
  });

  it("deletes a removed server's calls", async () => {
    const server = await bouncer.addServer({ rateLimit: 5 });
    await register(bouncer, server, {});
    await bouncer.store.rows(
      "INSERT INTO notify_call (server_id, idempotency_key, devices) VALUES ($1, $2, '{}')",
      [server.id, randomUUID()],
    );
    await bouncer.store.rows("DELETE FROM server WHERE id = $1", [server.id]);
    expect((await bouncer.rows("rate_hit")).join()).to.not.include(server.id);
    expect((await bouncer.rows("notify_call")).join()).to.not.include(server.id);
  });
});
