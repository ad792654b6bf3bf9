import { expect } from "chai";
import { readProductionFiles } from "./source-files.ts";

/** The columns, and the fields made from them, that decide who can read and see a channel. */
const decisive =
  /\b(?:invite_only|is_web_public|history_public_to_subscribers|inviteOnly|isWebPublic|historyPublicToSubscribers|can_(?:subscribe|add_subscribers|administer_channel)_group_id|can(?:Subscribe|AddSubscribers|AdministerChannel)GroupId)\b/;

/**
 * Files that may name them: the rules themselves, and files that store, load and show channels without deciding access.
 */
const named: ReadonlyArray<{ path: RegExp; why: string }> = [
  { path: /^packages\/model\/src\/channels\/access(-sql)?\.ts$/, why: "the rules" },
  { path: /^packages\/model\/src\/channels\/audiences\.ts$/, why: "the rules" },
  { path: /^packages\/model\/src\/channels\/(channel|present)\.ts$/, why: "loads and shows" },
  { path: /^packages\/model\/src\/messages\/(channel-facts|seen-messages)\.ts$/, why: "load" },
  { path: /^packages\/domain\/src\/messages\/read\/narrow\/lookups\.ts$/, why: "loads" },
  { path: /^packages\/contract\/src\//, why: "the wire" },
  { path: /^packages\/transfer\/src\//, why: "converts exports" },
  {
    path: /^apps\/gateway\/src\/operations\/channel(s|-creation)\.ts$/,
    why: "passes on what is asked for",
  },
  {
    path: /^packages\/domain\/src\/channels\/(create|insert|update|next|open)-channel\.ts$/,
    why: "sets them",
  },
  { path: /^packages\/domain\/src\/channels\/plan-creation\.ts$/, why: "sets them" },
  { path: /^packages\/domain\/src\/channels\/remove-subscriptions\.ts$/, why: "sets them" },
  { path: /^packages\/domain\/src\/channels\/change-notices\.ts$/, why: "tells of changes" },
  {
    path: /^packages\/jobs\/src\/definitions\/send-notice\.ts$/,
    why: "says what they have become",
  },
  { path: /^packages\/domain\/src\/channel-events\/channel-events\.ts$/, why: "tells of them" },
  { path: /^packages\/domain\/src\/channels\/read-channels\.ts$/, why: "lists by kind" },
  {
    path: /^packages\/domain\/src\/channels\/add-subscriptions\.ts$/,
    why: "one permission lets its holders add others, too",
  },
];

/** Removes comment lines. */
const code = (text: string) => text.replaceAll(/^\s*(?:\/\/|\/?\*).*$/gm, "");

// docs/decisions/012, channels.md §3: one function for each access level, in TypeScript and as SQL.
describe("Access to a channel", () => {
  const sources = () => readProductionFiles(["packages", "apps"]);
  const naming = async () =>
    (await sources())
      .filter(({ path }) => !path.startsWith("packages/testkit/"))
      .filter(({ text }) => decisive.test(code(text)))
      .map(({ path }) => path);

  it("is decided only by packages/model/src/channels/access.ts and its SQL: use those", async () => {
    const others = (await naming()).filter((file) => !named.some(({ path }) => path.test(file)));
    expect(others).to.deep.equal([]);
  });

  it("concerns every listed file", async () => {
    const files = await naming();
    const idle = named.filter(({ path }) => !files.some((file) => path.test(file)));
    expect(idle.map(({ path }) => path.source)).to.deep.equal([]);
  });
});
