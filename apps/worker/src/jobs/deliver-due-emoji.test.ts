import { addRealmEmoji, deactivateRealmEmoji } from "@carillon/contract";
import {
  channel,
  countQueries,
  deliverNow,
  scheduledMessage,
  testPng,
  usePictureWorker,
  useScene,
  type TestChannel,
} from "@carillon/testkit";
import { expect } from "chai";

describe("Scheduled messages with custom emoji", () => {
  const scene = useScene();
  const { db } = scene;
  usePictureWorker(db);
  let room: TestChannel;
  before(async () => {
    room = await channel(db, scene.org.realm, { subscribers: [scene.org.owner] });
  });

  const add = (name: string) =>
    scene.as(scene.org.owner).succeed(addRealmEmoji, {
      path: { emoji_name: name },
      files: { "a.png": testPng(9, 9) },
    });
  const due = async (...contents: readonly string[]) => {
    const rows = [];
    for (const content of contents)
      rows.push(await scheduledMessage(db, scene.org.owner, room, { content }));
    return rows.map(({ id }) => id);
  };
  const html = async (content: string) =>
    (await db.prisma.message.findFirstOrThrow({ where: { content }, orderBy: { id: "desc" } }))
      .renderedContent;

  it("are rendered with the emoji that exist at delivery", async () => {
    await add("acme_old");
    const ids = await due("was :acme_old: here", "is :acme_new: here");
    await scene
      .as(scene.org.owner)
      .succeed(deactivateRealmEmoji, { path: { emoji_name: "acme_old" } });
    await add("acme_new");
    await deliverNow(db, scene.org.realm, ids);
    expect(await html("was :acme_old: here")).to.equal("<p>was :acme_old: here</p>");
    expect(await html("is :acme_new: here")).to.match(
      /^<p>is <img alt=":acme_new:" class="emoji" src="\/user_avatars\/.*" title="acme new"> here<\/p>$/,
    );
  });

  it("need no additional statement for each message", async () => {
    const counted = async (count: number) => {
      const ids = await due(
        ...Array.from({ length: count }, (_, n) => `:acme_new: :a${n}: ${count}`),
      );
      return (await countQueries(db, () => deliverNow(db, scene.org.realm, ids))).count - count;
    };
    const few = await counted(2);
    expect(await counted(40)).to.equal(few);
  });
});
