import { expect } from "chai";
import { parseMessage } from "./parse-message.ts";
import { renderMessage } from "./render-message.ts";
import { html, lookups, render } from "./test-support/sample-organization.ts";

const p = (inside: string): string => `<p>${inside}</p>`;
const a = (href: string, text = href): string => `<a href="${href}">${text}</a>`;

describe("Links", () => {
  it("renders [text](url), and the URL for an empty text", () => {
    expect(html("[text](https://x.org/)")).to.equal(p(a("https://x.org/", "text")));
    expect(html("[](https://x.org/)")).to.equal(p(a("https://x.org/")));
    expect(html("[a **b**](/c)")).to.equal(p(a("/c", "a <strong>b</strong>")));
    expect(html("[a [b] c](/d_(e))")).to.equal(p(a("/d_(e)", "a [b] c")));
    expect(html('[a](/b "shown nowhere")')).to.equal(p(a("/b", "a")));
    expect(html("[a](</b c>)")).to.equal(p(a("/b%20c", "a")));
    expect(html("[a] (/b) [c]")).to.equal(p("[a] (/b) [c]"));
  });

  it("links bare URLs, domains and e-mail addresses", () => {
    expect(html("https://x.org/a?b=c&d=e#f")).to.equal(
      p('<a href="https://x.org/a?b=c&amp;d=e#f">https://x.org/a?b=c&amp;d=e#f</a>'),
    );
    expect(html("see example.com/a")).to.equal(
      p(`see ${a("http://example.com/a", "example.com/a")}`),
    );
    expect(html("me@example.com")).to.equal(p(a("mailto:me@example.com", "me@example.com")));
    expect(html("http://localhost:9991/x")).to.equal(p(a("http://localhost:9991/x")));
  });

  it("excludes punctuation after a URL", () => {
    for (const mark of ["!", ":", ";", "?", ")", ",", ".", "'", '"']) {
      expect(html(`https://x.org/a${mark}`)).to.equal(p(`${a("https://x.org/a")}${mark}`));
    }
    expect(html("<https://x.org/a>")).to.equal(p(`&lt;${a("https://x.org/a")}&gt;`));
    expect(html("(https://x.org/a_(b))")).to.equal(p(`(${a("https://x.org/a_(b)")})`));
    expect(html("**https://x.org/a** `https://x.org`")).to.equal(
      p(`<strong>${a("https://x.org/a")}</strong> <code>https://x.org</code>`),
    );
  });

  it("does not link file names as domains", () => {
    const text = "README.md main.py a.zip b.mov C.java e.g. v1.2.3 a.b";
    expect(html(text)).to.equal(p(text));
  });

  it("renders no markup inside a URL", () => {
    expect(html("https://x.org/a:smile:*b*c")).to.equal(p(a("https://x.org/a:smile:*b*c")));
    expect(html("https://x.org/@**all**")).not.to.contain("mention");
  });

  it("creates no link inside a link", () => {
    expect(html("[https://x.org #**name**](/a)")).to.equal(
      p(a("/a", "https://x.org #<strong>name</strong>")),
    );
  });

  it("creates links with allowed schemes only", () => {
    for (const url of [
      "ftp://a/b",
      "tel:+49",
      "magnet:?xt=urn:a",
      "matrix:u/a:b.c",
      "xmpp:a@b.c",
      "http://a.b",
      "mailto:a@b.c",
      "sms:+49",
      "geo:1,2",
      "ssh://a",
      "irc://a/b",
      "ircs://a/b",
      "news:a.b",
      "im:a@b",
      "sip:a@b",
      "bitcoin:a",
      "webcal://a/b",
      "urn:a:b",
      "mid:a",
      "#a",
      "/a",
    ]) {
      expect(html(`[x](${url})`)).to.equal(p(a(url, "x")));
    }
    for (const url of [
      "javascript:alert(1)",
      "JaVaScRiPt:alert(1)",
      "data:text/html,x",
      "vbscript:x",
      "file:///etc/passwd",
      "unknown:x",
      "//evil.example",
      "/\\evil.example",
      "&#106;avascript:alert(1)",
      "java&#10;script:alert(1)",
      "<java\tscript:alert(1)>",
    ]) {
      expect(html(`[x](${url})`), url).not.to.contain("<a ");
    }
    expect(html("[x](javascript:alert(1))")).to.equal(p("[x](javascript:alert(1))"));
  });

  it("accepts a domain or an e-mail address as the target", () => {
    expect(html("[x](example.com)")).to.equal(p(a("http://example.com", "x")));
    expect(html("[x](me@example.com)")).to.equal(p(a("mailto:me@example.com", "x")));
    expect(html("[x](nowhere)")).to.equal(p("[x](nowhere)"));
  });

  it("makes links into this organization relative", () => {
    const base = "https://chat.example.com";
    expect(html(`${base}/#narrow/channel/9-name`)).to.equal(
      p(a("#narrow/channel/9-name", `${base}/#narrow/channel/9-name`)),
    );
    expect(html(`[f](${base}/user_uploads/2/a.txt)`)).to.equal(p(a("user_uploads/2/a.txt", "f")));
    expect(html(`${base}/help`)).to.equal(p(a(`${base}/help`)));
    expect(html(`${base}.evil.org/#narrow`)).to.equal(p(a(`${base}.evil.org/#narrow`)));
  });

  it("renders an image as a link", () => {
    expect(html("![a](https://x.org/a.png)")).to.equal(p(`!${a("https://x.org/a.png", "a")}`));
    expect(render("![a](https://x.org/a.png)").hasImage).to.equal(false);
  });

  it("reports whether there are links, and the uploaded files that the author may read", () => {
    const file = { mediaType: "text/plain" };
    const uploads = new Map(["2/a.txt", "2/b c.txt"].map((path) => [path, file]));
    const facts = (text: string): [boolean, ...string[]] => {
      const parsed = parseMessage(text);
      const { hasLink, hasAttachment, uploadPaths } = renderMessage(parsed, {
        ...lookups,
        uploads,
      });
      expect(parsed.uploadPaths, text).to.include.members([...uploadPaths]);
      expect(hasAttachment, text).to.equal(uploadPaths.length > 0);
      return [hasLink, ...uploadPaths];
    };
    expect(facts("none `https://x.org` `/user_uploads/2/a.txt`")).to.deep.equal([false]);
    expect(facts("https://x.org")).to.deep.equal([true]);
    expect(facts("[a.txt](/user_uploads/2/a.txt)")).to.deep.equal([true, "2/a.txt"]);
    expect(facts("[b](/user_uploads/2/b%20c.txt?x#y)")).to.deep.equal([true, "2/b c.txt"]);
    expect(facts("https://chat.example.com/user_uploads/2/a.txt")).to.deep.equal([true, "2/a.txt"]);
    expect(facts("https://x.org/user_uploads/2/a.txt")).to.deep.equal([true]);
    expect(facts("[other](/user_uploads/2/other.txt)")).to.deep.equal([true]);
  });
});

describe("Links to channels, topics and messages", () => {
  it("links a channel", () => {
    expect(html("#**name**")).to.equal(
      p('<a class="stream" data-stream-id="9" href="/#narrow/channel/9-name">#name</a>'),
    );
  });

  it("links a topic to its newest message", () => {
    expect(html("#**name>topic**")).to.equal(
      p(
        '<a class="stream-topic" data-stream-id="9" href="/#narrow/channel/9-name/topic/topic/with/214">#name &gt; topic</a>',
      ),
    );
    expect(html("#**name>a b.c**")).to.equal(
      p(
        '<a class="stream-topic" data-stream-id="9" href="/#narrow/channel/9-name/topic/a.20b.2Ec">#name &gt; a b.c</a>',
      ),
    );
  });

  it("links a message", () => {
    expect(html("#**name>topic@214**")).to.equal(
      p(
        '<a class="message-link" href="/#narrow/channel/9-name/topic/topic/near/214">#name &gt; topic @ 💬</a>',
      ),
    );
  });

  it("shows the empty topic by its display name", () => {
    expect(html("#**name>**")).to.equal(
      p(
        '<a class="stream-topic" data-stream-id="9" href="/#narrow/channel/9-name/topic//with/214">#name &gt; <em>general chat</em></a>',
      ),
    );
  });

  it("encodes names in URLs", () => {
    expect(html("#**design review>(x) 50%**")).to.contain(
      'href="/#narrow/channel/11-design-review/topic/.28x.29.2050.25"',
    );
  });

  it("keeps channels as text if the author may not see them or the name differs", () => {
    expect(html("#**secret>topic**")).to.equal(p("#<strong>secret&gt;topic</strong>"));
    expect(html("#**Name**")).to.equal(p("#<strong>Name</strong>"));
    expect(html("a#**name**")).to.equal(p("a#<strong>name</strong>"));
  });
});

describe("URLs next to markup", () => {
  it("do not include the markup", () => {
    const link = '<a href="mailto:a@b.org">a@b.org</a>';
    expect(html("`a@b.org`")).to.equal("<p><code>a@b.org</code></p>");
    expect(html("x`a@b.org`")).to.equal("<p>x<code>a@b.org</code></p>");
    expect(html("**a@b.org**")).to.equal(`<p><strong>${link}</strong></p>`);
    expect(html("~~a@b.org~~ *a@b.org*")).to.equal(`<p><del>${link}</del> <em>${link}</em></p>`);
    expect(html("`@b.org")).to.equal("<p>`@b.org</p>");
  });
});
