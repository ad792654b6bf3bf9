import { getMessages } from "@carillon/contract";
import {
  channel,
  organization,
  refused,
  subscribe,
  type TestAccount,
  type TestChannel,
  useScene,
  user,
  userGroup,
} from "@carillon/testkit";
import { expect } from "chai";

import { change } from "../../test-support/changing-messages.ts";
import { idsFor, post, term, write } from "../../test-support/reading-messages.ts";

describe("GET /messages: the narrow mentions", () => {
  const scene = useScene();
  let ada: TestAccount;
  let bea: TestAccount;
  let room: TestChannel;

  beforeEach(async () => {
    const { db, org } = scene;
    [ada, bea] = [await user(db, org.realm), await user(db, org.realm)];
    room = await channel(db, org.realm, { subscribers: [ada, bea, org.owner] });
  });

  const say = (content: string, topic = "lunch") =>
    post(scene.gateway, scene.org.owner, room, topic, content);
  const call = ({ fullName, id }: TestAccount, silent = "") => `@${silent}**${fullName}|${id}**`;
  const found = (operand: unknown, by = ada, ...more: unknown[]) =>
    idsFor(scene.gateway, by, [term("mentions", operand), ...more]);

  it("finds mentions of the caller by any form of the name, and of nobody else", async () => {
    const ids = [
      await say(`${call(ada)}, and ${call(bea)}`),
      await say(`> soup\n\n* a ${call(ada)}`),
      await say(`@**|${ada.id}**`),
    ];
    const others = [await say("hello"), await say(`${call(bea)} ${ada.fullName} ${ada.id}`)];
    expect(await found(ada.id)).to.deep.equal(ids);
    expect(await found(ada.email)).to.deep.equal(ids);
    expect(await found(bea.id)).to.deep.equal([ids[0], others[1]]);
    expect(await found(scene.org.owner.id)).to.deep.equal([]);
    const narrow = [term("mentions", ada.id, true)];
    expect(await idsFor(scene.gateway, ada, narrow)).to.deep.equal(others);
    expect(await idsFor(scene.gateway, ada, [["mentions", ada.email]])).to.deep.equal(ids);
    await scene.db.rows("UPDATE users SET full_name = $2, is_active = false WHERE id = $1", [
      bea.id,
      "Bea Newname",
    ]);
    expect(await found(bea.id)).to.deep.equal([ids[0], others[1]]);
  });

  it("ignores silent mentions, quotes, code, groups, wildcards and text that looks like a mention", async () => {
    const { db, org } = scene;
    const group = await userGroup(db, org.realm, { name: "crew", members: [ada] });
    await say(call(ada, "_"));
    await say(`> ${call(ada)}`);
    await say(`\`${call(ada)}\``);
    await say("@*crew* @**all** @**topic**");
    await say(`<span class="user-mention" data-user-id="${ada.id}">@x</span>`);
    await say(`[x](https://x.example/?class="user-mention"&data-user-id="${ada.id}")`);
    expect(group.id).to.be.above(0);
    expect(await found(ada.id)).to.deep.equal([]);
    // The flag also stands for wildcards, which is:mentioned includes.
    expect(await idsFor(scene.gateway, ada, [term("is", "mentioned")])).to.have.length(1);
  });

  it("finds mentions added by an edit and not removed ones", async () => {
    const id = await say("hello");
    await change(scene, scene.org.owner, id, { content: call(ada) });
    expect(await found(ada.id)).to.deep.equal([id]);
    await change(scene, scene.org.owner, id, { content: call(bea) });
    expect([await found(ada.id), await found(bea.id)]).to.deep.equal([[], [id]]);
  });

  it("finds only messages that the caller may see", async () => {
    const { db, org, gateway } = scene;
    const closed = await channel(db, org.realm, {
      inviteOnly: true,
      subscribers: [org.owner, bea],
    });
    const secret = await post(gateway, org.owner, closed, "x", call(ada));
    const direct = await write(gateway, org.owner, [bea], call(ada));
    const open = await say(call(ada));
    expect(await found(ada.id)).to.deep.equal([open]);
    expect(await found(ada.id, bea)).to.deep.equal([secret, direct, open]);
    expect(await found(ada.id, org.admin)).to.deep.equal([]);
    // No account has received it; readers of the channel find it.
    expect(await found(ada.id, org.admin, term("channel", room.id))).to.deep.equal([open]);
    expect(await found(ada.id, org.bot, term("channels", "public"))).to.deep.equal([open]);
    await subscribe(db, closed, org.guest);
    expect(await found(ada.id, org.guest)).to.deep.equal([]);
  });

  it("combines with other terms, words and anchors", async () => {
    const [a, b, c] = [
      await say(`${call(ada)} soup`),
      await say(`${call(ada)} salad`, "rain"),
      await say(`${call(ada)} soup`, "rain"),
    ];
    expect(await found(ada.id, ada, term("topic", "rain"))).to.deep.equal([b, c]);
    expect(await found(ada.id, ada, term("search", "soup"))).to.deep.equal([a, c]);
    expect(await found(ada.id, ada, term("mentions", bea.id))).to.deep.equal([]);
    expect(await found(ada.id, ada, term("is", "unread"))).to.deep.equal([a, b, c]);
    const params = {
      anchor: "newest",
      num_before: 2,
      num_after: 0,
      narrow: [term("mentions", ada.id)],
    };
    const { messages, found_oldest } = await scene.as(ada).succeed(getMessages, { params });
    expect(messages.map(({ id }) => id)).to.deep.equal([b, c]);
    expect(found_oldest).to.equal(false);
  });

  it("refuses unknown accounts", async () => {
    const other = await organization(scene.db);
    const ask = (operand: unknown) => {
      const params = {
        anchor: "newest",
        num_before: 1,
        num_after: 0,
        narrow: [term("mentions", operand)],
      };
      return refused(
        scene.db,
        () => scene.as(ada).call(getMessages, { params }),
        typeof operand === "object" ? "BAD_REQUEST" : "BAD_NARROW",
      );
    };
    for (const operand of [
      0,
      -1,
      2_000_000_000,
      other.owner.id,
      other.owner.email,
      "nobody",
      "",
      `${ada.id}`,
    ])
      await ask(operand);
    for (const operand of [[ada.id], null, {}]) await ask(operand);
  });
});
