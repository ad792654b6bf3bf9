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

describe("The gateway of the tests", () => {
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

  it("gives every suite its own migrated database", async () => {
    const [row] = await db.rows<{ name: string; count: number }>(
      "SELECT current_database() AS name, (SELECT count(*) FROM users) AS count",
    );
    expect(row?.name).to.match(/^carillon_test_/);
    expect(row?.count).to.equal(0);
  });
});
