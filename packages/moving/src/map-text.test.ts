import { expect } from "chai";

import { mapText, type NewIds } from "./map-text.ts";
import { WantedIds } from "./new-ids.ts";

const base = {
  sourceUrl: "https://old.example",
  newUrl: "https://chat.example/team",
  realm: { old: 3, new: 9 },
};
const paths = new Map([
  ["3/ab/\u00dcbersicht.pdf", "9/cd/\u00dcbersicht.pdf"],
  ["3/ab/plain.txt", "9/cd/plain.txt"],
]);
const ids: NewIds = {
  ...base,
  of: (_, old) => (old < 100 ? old + 1000 : undefined),
  path: (old) => paths.get(old),
};

describe("the references of an imported text", () => {
  it("are changed where links have their paths encoded, as the browser client writes them", () => {
    const link = (path: string) => `[file](/user_uploads/${path})`;
    const encoded = encodeURI("3/ab/\u00dcbersicht.pdf");
    expect(mapText(link(encoded), ids)).to.equal(link(encodeURI("9/cd/\u00dcbersicht.pdf")));
    expect(mapText(link("3/ab/\u00dcbersicht.pdf"), ids)).to.equal(link("9/cd/\u00dcbersicht.pdf"));
    expect(mapText(link(`thumbnail/${encoded}/840x560.webp`), ids)).to.equal(
      link(`thumbnail/${encodeURI("9/cd/\u00dcbersicht.pdf")}/840x560.webp`),
    );
    const wanted = new WantedIds(base);
    mapText(link(encoded), wanted);
    expect([...wanted.paths]).to.include.members([encoded, "3/ab/\u00dcbersicht.pdf"]);
  });

  for (const [from, to] of [
    ["#narrow/channel/9-x/near/12", "#narrow/channel/1009-x/near/1012"],
    ["/#narrow/channel/9-x", "/#narrow/channel/1009-x"],
    ["see:#narrow/channel/9-x", "see:#narrow/channel/1009-x"],
    ["https://old.example/#narrow/channel/9-x", "https://chat.example/team/#narrow/channel/1009-x"],
    [
      "(https://chat.example/team/#narrow/channel/9)",
      "(https://chat.example/team/#narrow/channel/1009)",
    ],
    ["**/user_uploads/3/ab/plain.txt", "**/user_uploads/9/cd/plain.txt"],
    [
      "https://old.example/user_uploads/3/ab/plain.txt",
      "https://chat.example/team/user_uploads/9/cd/plain.txt",
    ],
    ["/user_avatars/3/x.png", "/user_avatars/9/x.png"],
  ] as const)
    it(`are changed in ${from}`, () => {
      expect(mapText(from, ids)).to.equal(to);
    });

  for (const foreign of [
    "https://chat.zulip.org/#narrow/channel/9-issues/near/123",
    "[it](https://chat.zulip.org/#narrow/channel/9-issues/near/12)",
    "chat.zulip.org/#narrow/channel/9-issues",
    "//chat.zulip.org/#narrow/channel/9-issues",
    "https://chat.zulip.org/x?=/#narrow/channel/9-issues",
    "https://files.example/user_uploads/3/ab/plain.txt",
    "https://files.example:8443/user_avatars/3/x.png",
  ])
    it(`stay as they are in the link to another server ${foreign}`, () => {
      expect(mapText(foreign, ids)).to.equal(foreign);
    });

  it("take time in proportion to a text without white space", () => {
    const text = "/user_avatars/3/.".repeat(20_000);
    const begun = process.cpuUsage();
    expect(mapText(text, ids)).to.equal("/user_avatars/9/.".repeat(20_000));
    expect(process.cpuUsage(begun).user / 1e6, "seconds").to.be.lessThan(20);
  });
});
