import { testWelcomeMessage } from "@carillon/contract";
import { refused, useScene } from "@carillon/testkit";
import { expect } from "chai";

describe("POST /realm/test_welcome_bot_custom_message", () => {
  const scene = useScene();
  const test = (text: string, by = scene.org.admin) =>
    scene.as(by).call(testWelcomeMessage, { params: { welcome_message_custom_text: text } });

  it("sends the caller the text from the welcome bot, and stores it nowhere", async () => {
    const { db, org } = scene;
    const { message_id: id } = await scene.as(org.admin).succeed(testWelcomeMessage, {
      params: { welcome_message_custom_text: "Welcome to **us**!" },
    });
    const row = await db.prisma.message.findUniqueOrThrow({ where: { id } });
    expect(row).to.include({ senderId: org.welcomeBot.id, content: "Welcome to **us**!" });
    expect(row.renderedContent).to.include("<strong>us</strong>");
    const copies = await db.prisma.userMessage.findMany({ where: { messageId: id } });
    expect(copies.map(({ userId }) => userId)).to.include(org.admin.id);
    const realm = await db.prisma.realm.findUniqueOrThrow({ where: { id: org.realm.id } });
    expect(realm.welcomeMessageCustomText).to.equal("");
  });

  it("is for administrators, and refuses texts that no setting may have", async () => {
    const { db, org } = scene;
    for (const by of [org.moderator, org.member, org.guest])
      await refused(db, () => test("Hello", by), "UNAUTHORIZED_PRINCIPAL");
    for (const text of ["", " \n", "x".repeat(8_001)])
      await refused(db, () => test(text), "BAD_REQUEST");
    await refused(
      db,
      () => scene.as(org.admin).call(testWelcomeMessage),
      "REQUEST_VARIABLE_MISSING",
    );
    expect((await test("x".repeat(8_000))).status).to.equal(200);
  });
});
