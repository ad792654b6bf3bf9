import { errors, operation } from "@carillon/contract";
import type { Sql } from "@carillon/db";
import {
  countQueries,
  organization,
  startGateway,
  useDatabase,
  type Gateway,
  type TestAccount,
} from "@carillon/testkit";
import { expect } from "chai";
import * as z from "zod";
import { handle } from "./handle.ts";

const declare = (method: "GET" | "POST", name: string) =>
  operation({
    id: name,
    method,
    path: `/api/v1/${name}`,
    access: "account",
    summary: name,
    ...(method === "POST" ? { idempotencyKey: true } : {}),
    result: { seen: z.string().optional() },
  });

describe("the bindings of operations", () => {
  const db = useDatabase();
  let member: TestAccount;
  let gateway: Gateway;
  let runs = 0;

  const nameOf = async (sql: Sql) => {
    const [row] = await sql.rows<{ name: string }>(
      "SELECT full_name AS name FROM users WHERE id = $1",
      [member.id],
    );
    return row?.name;
  };
  const rename = (sql: Sql, name: string) =>
    sql.rows("UPDATE users SET full_name = $2 WHERE id = $1", [member.id, name]);

  const single = declare("GET", "single");
  const twice = declare("GET", "twice");
  const written = declare("GET", "written");
  const refused = declare("POST", "refused");
  const lost = declare("POST", "lost");
  const handlers = [
    handle.reads(single, async ({ sql }) => ({ seen: await nameOf(sql) })),
    handle.reads(twice, ({ snapshot }) =>
      snapshot(async (sql) => {
        await nameOf(sql);
        await rename(db, "Somebody Else");
        return { seen: await nameOf(sql) };
      }),
    ),
    handle.reads(written, async ({ snapshot }) => {
      await snapshot((sql) => rename(sql, "Nobody"));
      return {};
    }),
    handle.changes(refused, async ({ tx }) => {
      await rename(tx, "Nobody");
      throw errors.badRequest("No");
    }),
    handle.changes(lost, async ({ tx }) => {
      runs++;
      await rename(tx, `Run ${runs}`);
      if (runs < 3)
        await tx.rows("DO $$ BEGIN RAISE SQLSTATE '40P01' USING MESSAGE = 'deadlock'; END $$");
      return {};
    }),
  ];

  before(async () => {
    ({ member } = await organization(db));
    const operations = handlers.map((handler) => handler.operation);
    gateway = await startGateway(db, { handlers, operations, app: { checkResults: false } });
  });
  after(() => gateway.close());

  const ask = (method: "get" | "post", path: string) =>
    countQueries(db, async () => (await gateway.as(member)[method](`/api/v1/${path}`)).body);

  it("reads: statements run outside of a transaction, and a snapshot is one read-only state", async () => {
    const { result, statements } = await ask("get", "single");
    expect(result["seen"]).to.equal(member.fullName);
    expect(statements.filter((text) => /BEGIN|COMMIT/.test(text))).to.deep.equal([]);
    expect((await ask("get", "twice")).result["seen"]).to.equal(member.fullName);
    expect(await nameOf(db)).to.equal("Somebody Else");
    expect((await ask("get", "written")).result.result).to.equal("error");
    expect(await nameOf(db)).to.equal("Somebody Else");
  });

  it("changes: a refused action leaves nothing, and one with a serialization failure runs again", async () => {
    const before = await nameOf(db);
    expect((await ask("post", "refused")).result.msg).to.equal("No");
    expect(await nameOf(db)).to.equal(before);
    expect((await ask("post", "lost")).result.result).to.equal("success");
    expect(await nameOf(db)).to.equal("Run 3");
  });
});
