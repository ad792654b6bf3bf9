import { expect } from "chai";
import { codeToNames, emojiNames } from "./emoji/names.ts";
import { encodeComponent } from "./links/slug.ts";
import { isMeMessage } from "./me-message.ts";
import { renderDescription } from "./render-description.ts";
import { topicLinks } from "./topic-links.ts";

describe("Links in topics", () => {
  it("are the bare URLs in order", () => {
    expect(topicLinks("fix https://a.org/1, example.com (me@example.com)")).to.deep.equal([
      { text: "https://a.org/1", url: "https://a.org/1" },
      { text: "example.com", url: "https://example.com" },
    ]);
    expect(topicLinks("release 1.2")).to.deep.equal([]);
  });
});

describe("URLs of channels and topics", () => {
  it("encode every component", () => {
    expect(encodeComponent("a b.c")).to.equal("a.20b.2Ec");
    expect(encodeComponent("(50%) *")).to.equal(".2850.25.29.20*");
    expect(encodeComponent("ä/\ud800")).to.equal(".C3.A4.2F.EF.BF.BD");
  });
});

describe("Emoji names", () => {
  it("include aliases and the names of clients", () => {
    for (const [name, code] of Object.entries({
      "+1": "1f44d",
      thumbs_up: "1f44d",
      smile: "1f642",
      heart: "2764",
      one: "0031-20e3",
      tada: "1f389",
      grinning_face_with_smiling_eyes: "1f601",
      beetle: "1f41e",
      beetle_2: "1fab2",
    })) {
      expect(emojiNames.get(name), name).to.equal(code);
    }
    expect(codeToNames.get("1f642")?.[0]).to.equal("smile");
    expect(codeToNames.get("1f44d")).to.include.members(["+1", "thumbs_up"]);
  });

  it("may be used between colons and in attributes", () => {
    for (const name of emojiNames.keys()) expect(name).to.match(/^[a-z0-9_+-]+$/);
    expect(emojiNames.size).to.be.greaterThan(1800);
  });
});

describe("Descriptions", () => {
  it("render as Markdown, and empty ones to nothing", () => {
    expect(renderDescription("")).to.equal("");
    expect(renderDescription("**a** @**Ada**")).to.equal(
      "<p><strong>a</strong> @<strong>Ada</strong></p>",
    );
  });
});

describe("/me messages", () => {
  it("begin with /me and a space", () => {
    expect(isMeMessage("/me waves")).to.equal(true);
    for (const text of ["/me", "/Me waves", " /me waves", "/mean"]) {
      expect(isMeMessage(text)).to.equal(false);
    }
  });
});
