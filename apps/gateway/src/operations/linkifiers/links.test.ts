import {
  createLinkifier,
  getMessages,
  register,
  removeLinkifier,
  renderMessageText,
  reorderLinkifiers,
  updateMessage,
} from "@carillon/contract";
import {
  announced,
  channel,
  eventsOf,
  type Params,
  useScene,
  watch,
  type TestChannel,
} from "@carillon/testkit";
import { expect } from "chai";
import { post, term, write } from "../../test-support/reading-messages.ts";

describe("Text that linkifiers match", () => {
  const scene = useScene();
  let room: TestChannel;
  let ticket: number;
  let first: number;

  const create = async (pattern: string, url_template: string) =>
    (
      await scene
        .as(scene.org.admin)
        .succeed(createLinkifier, { params: { pattern, url_template } })
    ).id;
  const link = (id: number) => ({ text: `#${id}`, url: `https://t.example/${id}` });
  const anchor = ({ text, url }: ReturnType<typeof link>) => `<a href="${url}">${text}</a>`;

  before(async () => {
    room = await channel(scene.db, scene.org.realm, {
      subscribers: [scene.org.member, scene.org.owner],
    });
    ticket = await create("#(?P<id>[0-9]+)", "https://t.example/{id}");
    first = await create("#1(?P<rest>[0-9])", "https://first.example/{rest}");
  });

  const read = async (id: number) => {
    const params = { message_ids: [id], narrow: [term("channel", room.id)] };
    return (await scene.as(scene.org.owner).succeed(getMessages, { params })).messages[0];
  };

  it("becomes a link in sent, edited and previewed messages", async () => {
    const { org, gateway } = scene;
    const id = await post(gateway, org.member, room, "plain", "see #7, `#8` and <b>#9");
    const html = `<p>see ${anchor(link(7))}, <code>#8</code> and &lt;b&gt;#9</p>`;
    expect((await read(id))?.content).to.equal(html);
    await scene
      .as(org.member)
      .succeed(updateMessage, { path: { message_id: id }, params: { content: "no, #10" } });
    expect((await read(id))?.content).to.equal(`<p>no, ${anchor(link(10))}</p>`);
    const { rendered } = await scene
      .as(org.bot)
      .succeed(renderMessageText, { params: { content: "#11" } });
    expect(rendered).to.equal(`<p>${anchor(link(11))}</p>`);
    const has = await scene.as(org.member).succeed(getMessages, {
      params: { anchor: "newest", num_before: 1, num_after: 0, narrow: [term("has", "link")] },
    });
    expect(has.messages.map((message) => message.id)).to.deep.equal([id]);
    const direct = await write(gateway, org.owner, [org.member], "#12");
    const dm = await scene
      .as(org.member)
      .succeed(getMessages, { params: { message_ids: [direct] } });
    expect(dm.messages[0]).to.include({ content: `<p>${anchor(link(12))}</p>` });
    expect(dm.messages[0]?.topic_links).to.deep.equal([]);
  });

  it("becomes a topic link in messages, their events and events of moves", async () => {
    const { org, gateway, db } = scene;
    const sent = await eventsOf(db, org.realm.id, () =>
      post(gateway, org.member, room, "fix #3 of a.com", "x"),
    );
    const links = [link(3), { text: "a.com", url: "https://a.com" }];
    const [received] = announced(sent.events);
    expect(received?.payload).to.have.deep.nested.property("message.topic_links", links);
    expect((await read(sent.result))?.topic_links).to.deep.equal(links);
    const moved = await eventsOf(db, org.realm.id, () =>
      scene
        .as(org.member)
        .succeed(updateMessage, { path: { message_id: sent.result }, params: { topic: "#4" } }),
    );
    const update = announced(moved.events).find(({ type }) => type === "update_message");
    expect(update?.payload["topic_links"]).to.deep.equal([link(4)]);
    expect((await read(sent.result))?.topic_links).to.deep.equal([link(4)]);
  });

  it("uses the first matching linkifier that still exists; sent messages stay unchanged", async () => {
    const { org, gateway } = scene;
    const send = async () => {
      const id = await post(gateway, org.member, room, "on #15", "#15");
      const message = await read(id);
      return { id, content: message?.content, url: message?.topic_links[0]?.url };
    };
    const { id, content, url } = await send();
    expect([content, url]).to.deep.equal([`<p>${anchor(link(15))}</p>`, link(15).url]);
    const admin = scene.as(org.admin);
    const ordered_linkifier_ids = [first, ticket];
    await admin.succeed(reorderLinkifiers, { params: { ordered_linkifier_ids } });
    const other = "https://first.example/5";
    expect(await send()).to.include({
      content: `<p>${anchor({ text: "#15", url: other })}</p>`,
      url: other,
    });
    // Topic links are computed when read, message HTML when written.
    expect(await read(id)).to.deep.include({ content, topic_links: [{ text: "#15", url: other }] });
    await admin.succeed(removeLinkifier, { path: { filter_id: first } });
    expect(await send()).to.include({ content, url });
  });

  it("is sent to clients that support templates, in snapshots and events", async () => {
    const { org } = scene;
    const able = { client_capabilities: { linkifier_url_template: true } };
    const snapshot = async (params: object) => {
      const event_types = ["realm_linkifiers", "realm_filters"];
      const received: Params = await scene
        .as(org.guest)
        .succeed(register, { params: { fetch_event_types: event_types, ...params } });
      return [received["realm_linkifiers"], received["realm_filters"]];
    };
    const there = {
      id: ticket,
      pattern: "#(?P<id>[0-9]+)",
      url_template: "https://t.example/{id}",
    };
    expect(await snapshot(able)).to.deep.equal([[there], []]);
    expect(await snapshot({})).to.deep.equal([[], []]);
    const queues = {
      guest: { account: org.guest, params: able },
      bot: { account: org.bot, params: able },
      old: { account: org.member },
    };
    let id = 0;
    const received = await watch(scene.gateway, queues, async () => {
      id = await create("X", "https://x.example");
    });
    const both = [there, { id, pattern: "X", url_template: "https://x.example" }];
    for (const queue of ["guest", "bot"] as const)
      expect(received[queue].map(({ realm_linkifiers }) => realm_linkifiers)).to.deep.equal([both]);
    expect(received.old.map(({ realm_linkifiers }) => realm_linkifiers)).to.deep.equal([[]]);
  });
});
