import {
  changeSettings,
  channel,
  pngPicture,
  send,
  toChannel,
  user,
  waitFor,
} from "@carillon/testkit";
import { uploadIcon } from "@carillon/contract";
import { expect } from "chai";
import { useWebClient } from "./support/web-client.ts";
import { chooseFor, inList, messageList, sidebar, sizes } from "./support/web-page.ts";

describe("Channels and messages in the browser client", () => {
  const scene = useWebClient();

  for (const { size, title, viewport } of sizes)
    describe(title, () => {
      it("looks into a public channel, joins it and leaves it", async () => {
        const { db, open, person, org, gateway } = scene();
        const ida = await person("Ida");
        const room = await channel(db, org.owner, {
          name: `otters-${size}`,
          subscribers: [org.owner],
        });
        const say = (content: string) =>
          send(gateway.as(org.owner), toChannel(room.id, { topic: "river", content }));
        await say("They swim");
        const { page } = await open("#feed", { as: ida, viewport });
        await (await sidebar(page)).getByRole("link", { name: "Browse channels" }).click();
        await page.getByRole("textbox", { name: "Filter" }).fill(`otters-${size}`);
        await page.getByRole("button", { name: `Join #otters-${size}` }).waitFor();
        await page.getByRole("link", { name: `#otters-${size}`, exact: true }).click();
        await inList(page, "They swim").waitFor();
        await page.getByRole("button", { name: "Join", exact: true }).click();
        await (await sidebar(page)).getByRole("link", { name: /otters/ }).waitFor();
        await page.keyboard.press("Escape");
        await say("They dive");
        await inList(page, "They dive").waitFor();
        expect(await page.getByRole("button", { name: "Join", exact: true }).count()).to.equal(0);

        await page.goto(page.url().replace(/#.*/, "#channels"));
        await page.getByRole("button", { name: `Leave #otters-${size}` }).click();
        const dialog = page.getByRole("dialog", { name: `Leave #otters-${size}?` });
        await dialog.getByRole("button", { name: "Leave", exact: true }).click();
        await page.getByRole("button", { name: `Join #otters-${size}` }).waitFor();
        expect(
          await page
            .getByRole("navigation")
            .getByRole("link", { name: /otters/ })
            .count(),
        ).to.equal(0);
      });

      it("shows the history of a message, and who has read it", async () => {
        const { db, open, person, org, gateway } = scene();
        const [ada, ben] = [await person("Ada Reed"), await person("Ben Rivers")];
        const room = await channel(db, org.owner, { subscribers: [ada, ben] });
        const id = await send(
          gateway.as(ada),
          toChannel(room.id, { topic: "draft", content: "The old words" }),
        );
        const hash = `#narrow/channel/${room.id}/topic/draft`;
        const { page } = await open(hash, { as: ada, viewport });
        await inList(page, "The old words").waitFor();
        await chooseFor(page, "The old words", "Who has read it");
        const readers = page.getByRole("dialog", { name: "Who has read it" });
        await readers
          .getByText("No one who sends read receipts has read the message yet", { exact: false })
          .waitFor();
        await page.keyboard.press("Escape");

        await gateway.as(ada).patch(`/api/v1/messages/${id}`, { content: "The new words" });
        await gateway.as(ada).patch(`/api/v1/messages/${id}`, { topic: "final" });
        await gateway
          .as(ben)
          .post("/api/v1/messages/flags", { messages: [id], op: "add", flag: "read" });
        // The view follows the renamed topic and is drawn again, which closes dialogs that are open in it.
        await page.waitForURL((url) => url.hash.endsWith("/topic/final"));
        await inList(page, "The new words").waitFor();
        await page.getByRole("button", { name: "edited" }).click();
        const history = page.getByRole("dialog", { name: "Edit history" });
        await history.getByText("Topic: draft → final").waitFor();
        expect(await history.locator(".highlight_text_deleted").allTextContents()).to.deep.equal([
          "old",
        ]);
        expect(await history.locator(".highlight_text_inserted").allTextContents()).to.deep.equal([
          "new",
        ]);
        expect(await history.getByRole("listitem").count()).to.equal(3);
        await page.keyboard.press("Escape");
        await chooseFor(page, "The new words", "Who has read it");
        await readers.getByText("Ben Rivers").waitFor();
        await readers.getByText("1 person has read the message.").waitFor();
      });

      it("writes times in the account's zone, with the whole time in the title", async () => {
        const { db, open, org, gateway } = scene();
        const kit = await user(db, org.realm, { fullName: "Kit", timezone: "Asia/Kathmandu" });
        const room = await channel(db, org.owner, { subscribers: [kit] });
        const id = await send(
          gateway.as(kit),
          toChannel(room.id, { topic: "t", content: "Lunch at <time:2024-03-07T23:30:00Z>" }),
        );
        await db.rows("UPDATE messages SET sent_at = '2024-03-07T22:00:00Z' WHERE id = $1", [id]);
        const { page } = await open(`#narrow/channel/${room.id}/topic/t`, { as: kit, viewport });
        // 5:45 ahead of UTC: the day is the next one.
        const time = messageList(page).locator(".message-time time");
        await time.waitFor();
        expect(await time.textContent()).to.match(/^3:45\sAM$/);
        expect(await time.getAttribute("title")).to.match(/^Friday, March 8, 2024.*3:45\sAM/);
        await messageList(page).getByText("Friday, March 8, 2024", { exact: true }).waitFor();
        await messageList(page)
          .getByText(/Fri, Mar 8, 2024, 5:15\sAM GMT\+5:45/)
          .waitFor();
        await changeSettings(db, kit, { twenty_four_hour_time: true });
        await page.reload();
        await messageList(page).getByText("03:45", { exact: true }).waitFor();
      });

      it("names the tab by the unread messages, with the organization's icon", async () => {
        const { db, open, person, org, gateway } = scene();
        const lou = await person("Lou");
        const room = await channel(db, org.owner, {
          name: `loud-${size}`,
          subscribers: [lou, org.owner],
        });
        const say = (topic: string) =>
          send(gateway.as(org.owner), toChannel(room.id, { topic, content: "Hey" }));
        const { page } = await open("#drafts", { as: lou, viewport });
        await page.getByText("No drafts.").waitFor();
        const hasTitle = (text: string) =>
          waitFor(async () => (await page.title()) === text, { what: `the title is ${text}` });
        await hasTitle("Drafts · Herons");
        await say("one");
        await say("two");
        await hasTitle("(2) Drafts · Herons");
        await gateway
          .as(lou)
          .post("/api/v1/user_topics", { stream_id: room.id, topic: "two", visibility_policy: 1 });
        await hasTitle("(1) Drafts · Herons");
        const icon = () => page.evaluate<string>("document.querySelector('link[rel=icon]').href");
        const before = await icon();
        expect(before).to.match(/^http/);
        const file = new File([pngPicture(64, 64)], "icon.png", { type: "image/png" });
        await gateway.as(org.owner).succeed(uploadIcon, { files: { file } });
        await waitFor(async () => (await icon()) !== before, { what: "the new icon is shown" });
        expect(await icon()).to.match(/\/user_avatars\//);
      });
    });
});
