import { expect } from "chai";

import { plainHtml } from "./rendering.ts";

describe("a text without its markup", () => {
  it("is one escaped paragraph with its line breaks", () => {
    expect(plainHtml("**a** <b>\n& `c`")).to.equal("<p>**a** &lt;b&gt;<br>\n&amp; `c`</p>");
  });
});
