import { expect } from "chai";
import { createLogger } from "./logger.ts";

describe("createLogger", () => {
  const written = (fields: object): string => {
    let text = "";
    const destination = { write: (line: string) => void (text += line) };
    createLogger("test", { destination }).error(fields, "something happened");
    return text;
  };

  it("keeps the fields of a line out of the next one", () => {
    const lines: string[] = [];
    const log = createLogger("test", { destination: { write: (line) => void lines.push(line) } });
    log.info({ status: 200 }, "request");
    log.info("stopping");
    expect(JSON.parse(lines[0] ?? "")).to.include({ status: 200 });
    expect(JSON.parse(lines[1] ?? "")).not.to.have.property("status");
  });

  it("redacts secrets and message content by field name", () => {
    const secret = "do not tell";
    for (const fields of [
      { content: secret },
      { a: { token: secret } },
      { a: { b: { key: secret } } },
    ])
      expect(written(fields)).to.contain("something happened").and.not.contain(secret);
  });

  const errorOf = (fields: object): Record<string, unknown> =>
    (JSON.parse(written(fields)) as { err: Record<string, unknown> }).err;

  it("logs type, stack and cause of an error", () => {
    const cause = Object.assign(new Error("refused"), { code: "ECONNREFUSED", port: 5432 });
    const err = errorOf({ err: new TypeError("it broke", { cause }) });
    expect(err).to.include({ type: "TypeError", message: "it broke" });
    expect(err["stack"]).to.match(/^TypeError: it broke\n {4}at .*logger\.test/s);
    expect(err["cause"]).to.include({ message: "refused", code: "ECONNREFUSED", port: 5432 });
  });

  it("omits error fields not known to be harmless, and thrown values that are no errors", () => {
    const fields = {
      code: "23514",
      constraint: "short",
      detail: "hello",
      where: "hello",
      params: ["hello"],
    };
    const nested = { meta: { driverAdapterError: { cause: { originalMessage: "hello" } } } };
    const thrown = Object.assign(new Error("violates a constraint"), fields, nested);
    const aggregate = new AggregateError([thrown, "hello"], "several");
    for (const err of [thrown, aggregate, new Error("above", { cause: aggregate })]) {
      const line = written({ err });
      expect(line).to.contain("violates a constraint").and.contain("23514").and.contain("short");
      expect(line).not.to.contain("hello");
    }
    for (const err of ["hello", { message: "hello" }, ["hello"]])
      expect(written({ err })).not.to.contain("hello");
  });

  it("cuts the values that an error message quotes", () => {
    const refused = (code: string, message: string) => Object.assign(new Error(message), { code });
    const quoted = 'hello "dear" \n    at colleague';
    for (const err of [
      refused("22P02", `invalid input syntax for type integer: "${quoted}"`),
      refused("42601", `syntax error in tsquery: "${quoted}"`),
      new SyntaxError(`Unexpected token 'h', "${quoted}"... is not valid JSON`),
    ]) {
      const line = written({ err });
      expect(line).to.contain("[cut]").and.contain("logger.test");
      expect(line).not.to.contain("hello").and.not.contain("dear").and.not.contain("colleague");
    }
  });
});
