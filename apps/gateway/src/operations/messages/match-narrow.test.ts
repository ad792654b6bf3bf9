import { matchNarrow } from "@carillon/contract";
import {
  channel,
  countQueries,
  refused,
  subscribe,
  type TestAccount,
  unsubscribe,
  useScene,
} from "@carillon/testkit";
import { expect } from "chai";

import { post, setFlags, term, write } from "../../test-support/reading-messages.ts";

describe("GET /messages/matches_narrow", () => {
  const scene = useScene();

  const ask = (by: TestAccount, msg_ids: unknown, narrow?: unknown) =>
    scene.as(by).call(matchNarrow, { params: { msg_ids, narrow } });
  const matches = async (by: TestAccount, ids: readonly number[], narrow?: unknown) => {
    const { status, body } = await ask(by, ids, narrow);
    expect(status, JSON.stringify(body)).to.equal(200);
    return body.messages;
  };
  const idsOf = (found: object) => Object.keys(found).map(Number);

  it("returns matching messages with content and topic as HTML", async () => {
    const { db, gateway, org } = scene;
    const room = await channel(db, org.realm, { subscribers: [org.member] });
    const ids = [
      await post(gateway, org.member, room, `<b> & "so" 'on'`, "**soup** <i>"),
      await post(gateway, org.member, room, ""),
      await write(gateway, org.owner, [org.member], "hello"),
    ];
    expect(await matches(org.member, ids)).to.deep.equal({
      [ids[0] ?? 0]: {
        match_content: "<p><strong>soup</strong> &lt;i&gt;</p>",
        match_subject: "&lt;b&gt; &amp; &quot;so&quot; &#39;on&#39;",
      },
      [ids[1] ?? 0]: { match_content: "<p>Soup?</p>", match_subject: "" },
      [ids[2] ?? 0]: { match_content: "<p>hello</p>", match_subject: "" },
    });
    expect(idsOf(await matches(org.member, ids, [term("is", "dm")]))).to.deep.equal([ids[2]]);
    expect(idsOf(await matches(org.member, ids, [term("is", "dm", true)]))).to.deep.equal(
      ids.slice(0, 2),
    );
    await setFlags(db, org.member, 2, ids[1] ?? 0);
    expect(idsOf(await matches(org.member, ids, [["is", "starred"]]))).to.deep.equal([ids[1]]);
    expect(await matches(org.member, [], [])).to.deep.equal({});
    expect(await matches(org.member, ids, [term("topic", "nowhere")])).to.deep.equal({});
  });

  it("matches received messages only, whatever the narrow includes", async () => {
    const { db, gateway, org } = scene;
    const room = await channel(db, org.realm, { subscribers: [org.owner] });
    const before = await post(gateway, org.owner, room);
    await subscribe(db, room, org.guest, org.bot);
    const after = await post(gateway, org.owner, room);
    const narrows = [[], [term("channel", room.id)], [term("channel", room.name)]];
    for (const narrow of [...narrows, [term("channels", "public")]]) {
      for (const by of [org.guest, org.bot])
        expect(idsOf(await matches(by, [before, after], narrow))).to.deep.equal([after]);
      expect(await matches(org.member, [before, after], narrow)).to.deep.equal({});
    }
    await unsubscribe(db, room, org.guest);
    for (const narrow of narrows)
      expect(await matches(org.guest, [before, after], narrow)).to.deep.equal({});
  });

  it("matches nothing in unreadable channels and no unknown messages", async () => {
    const { db, gateway, org } = scene;
    const secret = await channel(db, org.realm, { inviteOnly: true, subscribers: [org.owner] });
    const ids = [await post(gateway, org.owner, secret), 0, 2 ** 31, 2 ** 53 - 1, 1e16];
    expect(await matches(org.admin, ids, [term("channel", secret.id)])).to.deep.equal({});
    expect(await matches(org.admin, ids)).to.deep.equal({});
    const twice = [ids[0] ?? 0, ids[0] ?? 0];
    expect(idsOf(await matches(org.owner, twice))).to.deep.equal([ids[0]]);
  });

  it("follows the operator with to the message's current place", async () => {
    const { gateway, org } = scene;
    const [here, there] = [
      await write(gateway, org.owner, [org.member]),
      await write(gateway, org.admin, [org.member]),
    ];
    const found = await matches(org.member, [here, there], [term("with", here)]);
    expect(idsOf(found)).to.deep.equal([here]);
  });

  it("refuses the same parameters as GET /messages", async () => {
    const { db, org } = scene;
    const no = (code: string, ids: unknown, narrow?: unknown) =>
      refused(db, () => ask(org.member, ids, narrow), code);
    await no("REQUEST_VARIABLE_MISSING", undefined);
    for (const ids of ["x", 5, ["5"], [1.5], { 5: 5 }, null]) await no("BAD_REQUEST", ids);
    await no(
      "BAD_REQUEST",
      Array.from({ length: 5001 }, (_, i) => i),
    );
    await no("BAD_REQUEST", [5], [term("topic", 5)]);
    await no("BAD_REQUEST", [5], "x");
    for (const narrow of [
      [term("channel", "nowhere")],
      [term("soup", "lunch")],
      [term("is", "dm"), term("topic", "lunch")],
      [term("with", 2_000_000_000)],
    ])
      await no("BAD_NARROW", [5], narrow);
    const url = "/api/v1/messages/matches_narrow?msg_ids=[1]&narrow=[]";
    await refused(scene.db, () => scene.gateway.anonymous.get(url), "UNAUTHORIZED");
  });

  it("runs the same number of statements for any number of terms and messages", async () => {
    const { db, gateway, org } = scene;
    const ids = [await write(gateway, org.owner, [org.member])];
    const count = async (narrow: unknown[]) =>
      (await countQueries(db, () => matches(org.member, ids, narrow))).count;
    const one = await count([term("sender", org.owner.id)]);
    for (let i = 0; i < 3; i++) ids.push(await write(gateway, org.owner, [org.member]));
    const more = [org.owner, org.admin, org.member].map(({ id }) => term("sender", id, true));
    expect(await count([term("sender", org.owner.id), ...more.slice(1)])).to.equal(one);
  });
});
