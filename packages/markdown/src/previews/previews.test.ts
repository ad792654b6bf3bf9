import { expect } from "chai";
import { emptyLookups } from "../lookups.ts";
import { parseMessage } from "../parse-message.ts";
import { renderMessage } from "../render-message.ts";
import type { LinkedFile } from "../types.ts";
import { makePreviews } from "./make-previews.ts";

const made = { width: 3_000, height: 2_000, isAnimated: false, transcoded: undefined };
const path = (name: string) => `2/ab/${"x".repeat(24)}/${name}`;
const pathOfA = path("a.png");

const picture: LinkedFile = { mediaType: "image/png", image: made };
const pending: LinkedFile = { mediaType: "image/png", image: "pending" };
const files: Readonly<Record<string, LinkedFile>> = {
  "a.png": picture,
  "new.png": pending,
  "moving.gif": { mediaType: "image/gif", image: { ...made, isAnimated: true } },
  "scan.tiff": { mediaType: "image/tiff", image: { ...made, transcoded: "4032x3024.webp" } },
  "broken.png": { mediaType: "image/png" },
  "clip.mp4": { mediaType: "video/mp4" },
  "sound.wav": { mediaType: "audio/x-wav" },
  "notes.txt": { mediaType: "text/plain" },
};
const many = Array.from({ length: 25 }, (_, i) => `n${i}.png`);
const uploads = new Map(
  [...Object.entries(files), ...many.map((name) => [name, picture] as const)].map(
    ([name, file]) => [path(name), file],
  ),
);

function render(text: string) {
  const lookups = { ...emptyLookups, organizationUrl: "https://chat.example.com", uploads };
  return renderMessage(parseMessage(text), lookups);
}

const html = (text: string) => render(text).html;
const url = (name: string) => `/user_uploads/${path(name)}`;
const a = (name: string, text = name) => `<a href="${url(name)}">${text}</a>`;
const block = (name: string, img: string, title = ` title="${name}"`) =>
  `<div class="message_inline_image"><a href="${url(name)}"${title}>${img}</a></div>`;
const thumbnail = (name: string) =>
  `<img data-original-content-type="image/png" data-original-dimensions="3000x2000" src="/user_uploads/thumbnail/${path(name)}/840x560.webp">`;
const shown = (name = "a.png", title = ` title="${name}"`) => block(name, thumbnail(name), title);
const waiting = `<img class="image-loading-placeholder" data-original-content-type="image/png" src="/static/images/loading/loader-black.svg">`;

describe("Previews of uploaded files", () => {
  it("shows a thumbnail after the paragraph of the link", () => {
    expect(html(`see [a.png](${url("a.png")})\nthere\n\nafter`)).to.equal(
      `<p>see ${a("a.png")}<br>\nthere</p>\n${shown()}\n<p>after</p>`,
    );
  });

  it("shows the placeholder until there is a thumbnail", () => {
    const { html: given, hasImage, pendingImages } = render(`[new.png](${url("new.png")})`);
    expect(given).to.equal(`<p>${a("new.png")}</p>\n${block("new.png", waiting)}`);
    expect({ hasImage, pendingImages }).to.deep.equal({
      hasImage: true,
      pendingImages: [path("new.png")],
    });
  });

  it("shows animated pictures as such, and TIFF with its transcoded picture", () => {
    expect(html(`[moving.gif](${url("moving.gif")})`)).to.equal(
      `<p>${a("moving.gif")}</p>\n${block("moving.gif", `<img data-animated="true" data-original-content-type="image/gif" data-original-dimensions="3000x2000" src="/user_uploads/thumbnail/${path("moving.gif")}/840x560-anim.webp">`)}`,
    );
    expect(html(`[scan.tiff](${url("scan.tiff")})`)).to.contain(
      `<img data-original-content-type="image/tiff" data-original-dimensions="3000x2000" data-transcoded-image="4032x3024.webp" src="/user_uploads/thumbnail/${path("scan.tiff")}/840x560.webp">`,
    );
  });

  it("replaces a paragraph of nothing but the URL", () => {
    expect(html(`https://chat.example.com${url("a.png")}`)).to.equal(shown("a.png", ""));
    expect(html(`one\n\n[](${url("a.png")})\n\ntwo`)).to.equal(
      `<p>one</p>\n${shown("a.png", "")}\n<p>two</p>`,
    );
    expect(render(`https://chat.example.com${url("a.png")}`)).to.include({
      hasLink: true,
      hasAttachment: true,
      hasImage: true,
    });
  });

  it("has no title where the text of the link is the URL", () => {
    expect(html(`see https://chat.example.com${url("a.png")}`)).to.match(
      /<\/p>\n<div class="message_inline_image"><a href="[^"]*"><img /,
    );
  });

  it("shows each file once, in the order of the links, and escapes their texts", () => {
    const text = `[*"b"* & c](${url("a.png")}) [a.png](${url("a.png")}) [n1](${url("n1.png")})`;
    const parts = html(text).split("\n");
    expect(parts.slice(1)).to.deep.equal([
      shown("a.png", ` title="&quot;b&quot; &amp; c"`),
      shown("n1.png", ` title="n1"`),
    ]);
  });

  it("shows previews in lists, headings, tables and spoilers, and none in quotes", () => {
    const link = `[a.png](${url("a.png")})`;
    expect(html(`* ${link}\n* b`)).to.equal(
      `<ul>\n<li>${a("a.png")}${shown()}</li>\n<li>b</li>\n</ul>`,
    );
    expect(html(`# ${link}\n\nb`)).to.equal(`<h1>${a("a.png")}</h1>\n${shown()}\n<p>b</p>`);
    expect(html(`|x|\n|-|\n|${link}|\n\nb`)).to.match(/<\/table>\n<div .*<\/div>\n<p>b<\/p>$/);
    expect(html(`\`\`\`spoiler s\n${link}\n\`\`\``)).to.contain(`</p>\n${shown()}\n</div></div>`);
    for (const quote of [`> ${link}`, `\`\`\`quote\n${link}\n\`\`\``]) {
      const { html: given, hasImage, uploadPaths } = render(quote);
      expect(given).not.to.contain("inline_image");
      expect({ hasImage, uploadPaths }).to.deep.equal({ hasImage: false, uploadPaths: [pathOfA] });
    }
  });

  it("shows up to 24 files, and none of more", () => {
    const links = (count: number) =>
      many
        .slice(0, count)
        .map((name) => `[x](${url(name)})`)
        .join(" ");
    expect(html(links(24)).match(/message_inline_image/g)).to.have.length(24);
    expect(render(links(25))).to.deep.include({ hasImage: false });
    expect(html(`${links(24)} [x](${url("n1.png")})`).match(/inline_image/g)).to.have.length(24);
    expect(html(`${links(24)}\n> [x](${url("n24.png")})`).match(/inline_image/g)).to.have.length(
      24,
    );
  });

  it("shows ![alt](…) in place", () => {
    expect(html(`before ![a "b"](${url("a.png")}) after`)).to.equal(
      `<p>before <img alt="a &quot;b&quot;" class="inline-image" data-original-content-type="image/png" data-original-dimensions="3000x2000" data-original-src="${url("a.png")}" src="/user_uploads/thumbnail/${pathOfA}/840x560.webp"> after</p>`,
    );
    expect(html(`![b](${url("new.png")})`)).to.equal(
      `<p><img alt="b" class="inline-image image-loading-placeholder" data-original-content-type="image/png" data-original-src="${url("new.png")}" src="/static/images/loading/loader-black.svg"></p>`,
    );
    expect(render(`![b](${url("a.png")})`)).to.deep.include({
      hasImage: true,
      hasLink: false,
      uploadPaths: [pathOfA],
    });
  });

  it("shows players for videos and ![audio](…), and other files as links", () => {
    expect(html(`[clip.mp4](${url("clip.mp4")})`)).to.equal(
      `<p>${a("clip.mp4")}</p>\n<div class="message_inline_image message_inline_video"><a href="${url("clip.mp4")}" title="clip.mp4"><video preload="metadata" src="${url("clip.mp4")}"></video></a></div>`,
    );
    expect(html(`![n](${url("sound.wav")})`)).to.equal(
      `<p><audio controls preload="metadata" src="${url("sound.wav")}" title="n"></audio></p>`,
    );
    for (const name of ["notes.txt", "broken.png", "unknown.png"])
      expect(html(`![n](${url(name)})`)).to.equal(`<p>${a(name, "n")}</p>`);
    expect(html(`[b](${url("broken.png")}) [s](${url("sound.wav")})`)).to.equal(
      `<p>${a("broken.png", "b")} ${a("sound.wav", "s")}</p>`,
    );
  });

  it("shows neither files of other servers nor files that the author may not read", () => {
    const other = `https://x.org${url("a.png")}`;
    expect(html(`![n](${other}) ${other}`)).to.equal(
      `<p>!<a href="${other}">n</a> <a href="${other}">${other}</a></p>`,
    );
    expect(html(`[n](${url("unknown.png")})`)).to.equal(`<p>${a("unknown.png", "n")}</p>`);
    expect(html(`\`[a.png](${url("a.png")})\``)).not.to.contain("inline_image");
  });
});

describe("Placeholders of a picture", () => {
  const text = [
    `see [it](${url("new.png")}) and [a.png](${url("a.png")})`,
    `![in "place"](${url("new.png")})`,
  ].join("\n\n");
  const lone = `one\n\nhttps://chat.example.com${url("new.png")}\n\ntwo`;
  const make = (from: string, image?: typeof made) =>
    makePreviews(html(from), path("new.png"), "image/png", image);

  it("become what a later rendering shows", () => {
    for (const from of [text, lone]) {
      const replaced = make(from, made);
      uploads.set(path("new.png"), { mediaType: "image/png", image: made });
      expect(replaced).to.deep.equal({ html: html(from), hasImage: true });
      uploads.set(path("new.png"), pending);
    }
  });

  it("become links if it is no picture", () => {
    const removed = make(text);
    expect(removed?.html).to.equal(
      `<p>see ${a("new.png", "it")} and ${a("a.png")}</p>\n${shown()}\n<p>${a("new.png", 'in "place"')}</p>`,
    );
    expect(removed?.hasImage).to.equal(true);
    expect(make(lone)).to.deep.equal({
      html: `<p>one</p>\n<p>${a("new.png", url("new.png"))}</p>\n<p>two</p>`,
      hasImage: false,
    });
  });

  it("stay as they are for another picture", () => {
    expect(makePreviews(html(text), pathOfA, "image/png", made)).to.equal(undefined);
    expect(makePreviews(html(text), path("new-png"), "image/png", made)).to.equal(undefined);
  });
});
