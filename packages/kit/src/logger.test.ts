import { expect } from "chai";
import { createLogger } from "./logger.ts";

describe("the log", () => {
  const written = (fields: object): string => {
    let text = "";
    const destination = { write: (line: string) => void (text += line) };
    createLogger("test", { destination }).error(fields, "something happened");
    return text;
  };

  it("leaves out secrets and the text of messages, by name", () => {
    const secret = "do not tell";
    for (const fields of [
      { content: secret },
      { a: { token: secret } },
      { a: { b: { key: secret } } },
    ])
      expect(written(fields)).to.contain("something happened").and.not.contain(secret);
  });

  it("leaves out what PostgreSQL quotes of the row that it refused", () => {
    const quoted = {
      detail: "Failing row contains (hello)",
      where: "hello",
      internalQuery: "hello",
    };
    const err = Object.assign(new Error("violates a constraint"), { code: "23514", ...quoted });
    expect(written({ err })).to.contain("violates a constraint").and.contain("23514");
    expect(written({ err })).not.to.contain("hello");
  });
});
