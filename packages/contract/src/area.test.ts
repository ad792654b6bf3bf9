import { expect } from "chai";
import { areaOf } from "./area.ts";

describe("areaOf", () => {
  it("puts related resources on one page", () => {
    expect(areaOf({ path: "/api/v1/saved_snippets/{saved_snippet_id}" })).to.equal(
      "personal-lists",
    );
    expect(areaOf({ path: "/api/v1/drafts" })).to.equal("personal-lists");
  });

  it("gives any other resource its own page, named after its path", () => {
    expect(areaOf({ path: "/api/v1/door_bells/{door_bell_id}" })).to.equal("door-bells");
  });
});
