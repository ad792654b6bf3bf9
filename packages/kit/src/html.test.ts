import { expect } from "chai";
import { html, Html } from "./html.ts";

describe("HTML templates", () => {
  it("escape every value, in text, attributes and lists", () => {
    const evil = `<img src=x onerror="alert('1')">&amp;`;
    const escaped = "&lt;img src=x onerror=&quot;alert(&#39;1&#39;)&quot;&gt;&amp;amp;";
    expect(html`<a title="${evil}">${evil}</a>`.text).to.equal(
      `<a title="${escaped}">${escaped}</a>`,
    );
    expect(html`${[evil, [evil]]}`.text).to.equal(escaped + escaped);
  });

  it("insert templates unescaped, and nothing for absent values and false", () => {
    expect(html`<p>${html`<b>${1}</b>`}${null}${undefined}${false}${0}</p>`.text).to.equal(
      "<p><b>1</b>0</p>",
    );
    expect(html`x`).to.be.instanceOf(Html);
  });
});
