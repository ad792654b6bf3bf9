import { channel, react, send, toChannel, toUsers } from "@carillon/testkit";
import { expect } from "chai";
import type { Page } from "playwright-core";
import { seriousFaults } from "./support/axe.ts";
import { useWebClient } from "./support/web-client.ts";
import { chooseFor, inList, messageList, sizes } from "./support/web-page.ts";

const schemes = [
  { colorScheme: "light", ground: "rgb(255, 255, 255)" },
  { colorScheme: "dark", ground: "rgb(22, 24, 29)" },
] as const;

describe("Accessibility of the browser client", () => {
  const scene = useWebClient();

  async function expectNoFaults(page: Page, what: string): Promise<void> {
    expect(await seriousFaults(page), what).to.deep.equal([]);
  }

  /** A person with a channel, an edited message with a reaction, and a direct message. */
  async function reader(name: string) {
    const { db, org, person, gateway } = scene();
    const [ada, dana] = [await person(`Ada ${name}`), await person("דנה לוי")];
    const room = await channel(db, org.owner, { name, subscribers: [ada, dana] });
    const [asAda, asDana] = [gateway.as(ada), gateway.as(dana)];
    const id = await send(asAda, toChannel(room.id, { topic: "tea", content: "Black or green?" }));
    await asAda.patch(`/api/v1/messages/${id}`, { content: "Black, or **green**?" });
    await react(gateway, dana, id, "tada");
    await send(asDana, toChannel(room.id, { topic: "tea", content: `@**Ada ${name}** green` }));
    await send(asDana, toUsers([ada.id], { content: "Hello" }));
    return { ada, dana, room };
  }

  for (const { size, title, viewport } of sizes)
    for (const { colorScheme, ground } of schemes)
      it(`has no serious fault in any view ${title} with ${colorScheme} colours`, async () => {
        const { ada, dana, room } = await reader(`${size}-${colorScheme}`);
        const { page: signIn } = await scene().open("", { viewport, colorScheme });
        await signIn.getByRole("button", { name: "Sign in", exact: true }).waitFor();
        await expectNoFaults(signIn, "signing in");

        const { page } = await scene().open("#feed", { as: ada, viewport, colorScheme });
        const topic = `#narrow/channel/${room.id}/topic/tea`;
        const messages = ["#feed", topic, `#narrow/channel/${room.id}`, `#narrow/dm/${dana.id}`];
        for (const hash of [...messages, "#narrow/is/mentioned", "#narrow/search/green"]) {
          await page.goto(page.url().replace(/#.*/, hash));
          await messageList(page).getByRole("article").first().waitFor();
          await expectNoFaults(page, hash);
        }
        for (const [hash, name] of [
          ["#narrow/is/starred", "Starred"],
          ["#drafts", "Drafts"],
          ["#channels", "All channels"],
          ["#schedule", "My schedule"],
          ["#organization", "Organization"],
          ["#nowhere", ""],
        ] as const) {
          await page.goto(page.url().replace(/#.*/, hash));
          if (name === "") await page.getByText("There is no page at this address.").waitFor();
          else await page.getByRole("heading", { name, level: 2, exact: true }).waitFor();
          await expectNoFaults(page, hash);
        }
        expect(
          await page.evaluate("getComputedStyle(document.body).backgroundColor"),
          "the ground",
        ).to.equal(ground);

        await page.goto(page.url().replace(/#.*/, topic));
        await inList(page, "green").first().waitFor();
        for (const [entry, dialog] of [
          ["Move", "Move messages"],
          ["Edit history", "Edit history"],
          ["Who has read it", "Who has read it"],
          ["Delete", "Delete the message?"],
        ] as const) {
          await chooseFor(page, "Black, or", entry);
          await page.getByRole("dialog", { name: dialog }).waitFor();
          await expectNoFaults(page, dialog);
          await page.keyboard.press("Escape");
          await page.getByRole("dialog").waitFor({ state: "detached" });
        }
        for (const [key, name] of [
          ["?", "Keyboard shortcuts"],
          ["+", "Add a reaction"],
        ] as const) {
          await page.keyboard.press(key);
          await page.getByRole("dialog", { name }).waitFor();
          await expectNoFaults(page, name);
          await page.keyboard.press("Escape");
          await page.getByRole("dialog").waitFor({ state: "detached" });
        }
        await messageList(page)
          .getByRole("button", { name: `Ada ${size}-${colorScheme}` })
          .press("Enter");
        await page.getByRole("dialog", { name: `Ada ${size}-${colorScheme}` }).waitFor();
        await expectNoFaults(page, "a profile");
      });

  it("moves nothing if the person wants no motion", async () => {
    const { ada } = await reader("still");
    const [, { viewport }] = sizes;
    const moving = "getComputedStyle(document.querySelector('.sidebar')).transitionDuration";
    const { page: usual } = await scene().open("#feed", { as: ada, viewport });
    await inList(usual, "Hello").waitFor();
    expect(await usual.evaluate(moving)).to.equal("0.16s");
    const reducedMotion = "reduce";
    const { page } = await scene().open("#feed", { as: ada, viewport, reducedMotion });
    await inList(page, "Hello").waitFor();
    expect(await page.evaluate(moving)).to.equal("0s");
  });

  for (const { size, title, viewport } of sizes)
    it(`writes right-to-left names without turning what stands beside them ${title}`, async () => {
      const { ada, room } = await reader(`names-${size}`);
      const { page } = await scene().open(`#narrow/channel/${room.id}/topic/tea`, {
        as: ada,
        viewport,
      });
      const row = messageList(page).getByRole("article", { name: "דנה לוי" });
      await row.waitFor();
      const name = row.getByRole("button", { name: "דנה לוי" });
      const direction = await page.evaluate(
        `getComputedStyle([...document.querySelectorAll(".sender bdi")].find(
          (one) => one.textContent === "דנה לוי")).direction`,
      );
      expect(direction).to.equal("rtl");
      const left = async (locator: typeof row) => (await locator.boundingBox())?.x ?? NaN;
      expect(await left(row.locator(".message-time"))).to.be.greaterThan(await left(name));
    });
});
