import { expect } from "chai";
import { parseJson } from "./json.ts";

describe("parseJson", () => {
  it("accepts JSON up to a limit of parts", () => {
    expect(parseJson('{"a":[1,2]}', 4)).to.deep.equal({ a: [1, 2] });
    expect(parseJson('{"a":[1,2]}', 3)).to.equal(undefined);
    expect(parseJson('["a,b"]', 2)).to.deep.equal(["a,b"]);
    expect(parseJson('["a,b"]', 1)).to.equal(undefined);
    for (const text of ["", "[", "nonsense"]) expect(parseJson(text, 10)).to.equal(undefined);
  });
});
