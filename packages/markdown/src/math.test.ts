import { createRequire } from "node:module";
import { expect } from "chai";

import { emptyLookups } from "./lookups.ts";
import { parseMessage } from "./parse-message.ts";
import { renderMessage } from "./render-message.ts";

const katex = createRequire(import.meta.url)("katex") as typeof import("katex").default;

describe("Formulas", () => {
  it("are typeset once, however often their text is rendered", () => {
    const { renderToString } = katex;
    let typeset = 0;
    katex.renderToString = (...given) => {
      typeset++;
      return renderToString(...given);
    };
    try {
      const parsed = parseMessage("$$x^2$$ and $$\\nonsense$$\n\n```math\ny^2\n```");
      const { html } = renderMessage(parsed, emptyLookups);
      expect(html).to.contain("katex-display").and.contain('class="tex-error">$$\\nonsense$$');
      expect(typeset).to.equal(3);
      expect(renderMessage(parsed, emptyLookups).html).to.equal(html);
      expect(typeset).to.equal(3);
    } finally {
      katex.renderToString = renderToString;
    }
  });
});
