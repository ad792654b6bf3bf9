import { handlerFor } from "@carillon/gateway";
import { operation } from "@carillon/contract";
import { expect } from "chai";
import { useDatabase } from "./database.ts";
import { useGateway } from "./gateway.ts";

const echo = operation({
  id: "echo",
  method: "GET",
  path: "/api/v1/echo",
  access: "anyone",
  summary: "Answers",
});

describe("the tests' gateway", () => {
  const db = useDatabase();
  const gateway = useGateway(db, {
    operations: [echo],
    handlers: [handlerFor<unknown>()(echo, async () => ({}))],
  });

  it("answers over HTTP and refuses unknown credentials", async () => {
    const answer = await gateway.anonymous.get("/api/v1/echo", { more: [1] });
    expect(answer.status).to.equal(200);
    expect(answer.body).to.deep.equal({
      result: "success",
      msg: "",
      ignored_parameters_unsupported: ["more"],
    });
    expect((await gateway.anonymous.call(echo)).body.result).to.equal("success");
    expect((await gateway.anonymous.get("/health")).status).to.equal(200);
    expect(gateway.logLines.map((line) => line["path"])).to.include("/api/v1/echo");
  });

  it("gives every suite a database of its own, with the migrations in it", async () => {
    const [row] = await db.rows<{ name: string; count: number }>(
      "SELECT current_database() AS name, (SELECT count(*) FROM users) AS count",
    );
    expect(row?.name).to.match(/^carillon_test_/);
    expect(row?.count).to.equal(0);
  });
});
