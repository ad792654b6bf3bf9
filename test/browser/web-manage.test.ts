import { channel, type TestAccount, user, waitFor } from "@carillon/testkit";
import { expect } from "chai";
import type { Page } from "playwright-core";
import { accessibilityFaults } from "./support/axe.ts";
import { useWebClient } from "./support/web-client.ts";

const picture =
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";

interface Groups {
  readonly user_groups: ReadonlyArray<{ id: number; name: string; members: number[] }>;
}

describe("The pages of the browser client that run an organization", () => {
  const scene = useWebClient();

  /** Opens a section as the owner. */
  async function openSection(section: string, width = 1_200, as?: TestAccount) {
    const { open, org } = scene();
    const viewport = { width, height: 800 };
    const opened = await open(`#organization/${section}`, { as: as ?? org.owner, viewport });
    return opened;
  }
  const row = (page: Page, text: string) => page.getByRole("row").filter({ hasText: text });
  const choose = async (page: Page, name: string, item: string) => {
    await page.getByRole("button", { name: `Actions for ${name}`, exact: true }).click();
    await page.getByRole("menuitem", { name: item, exact: true }).click();
  };
  const dialog = (page: Page) => page.getByRole("dialog");
  const press = (page: Page, name: string) =>
    dialog(page).getByRole("button", { name, exact: true }).click();
  const isClosed = (page: Page) => dialog(page).waitFor({ state: "detached" });

  for (const width of [1_200, 390]) {
    describe(`at ${width} px`, () => {
      it("changes the role and the name of a person, deactivates and reactivates", async () => {
        const { db, org, gateway } = scene();
        const name = `Ida ${width}`;
        const ida = await user(db, org.realm, { fullName: name });
        const { page, complaints } = await openSection("people", width);
        await page.getByLabel("Filter").fill(name);
        await page.getByText("1 entry", { exact: true }).waitFor();
        await choose(page, name, "Change role");
        await dialog(page).getByLabel("Role").selectOption({ label: "Moderator" });
        await press(page, "Save");
        await isClosed(page);
        await row(page, name).getByText("Moderator").waitFor();

        await choose(page, name, "Rename");
        await dialog(page).getByLabel("Name", { exact: true }).fill(`${name} Reed`);
        await press(page, "Save");
        await isClosed(page);
        await choose(page, `${name} Reed`, "Deactivate");
        await press(page, "Deactivate");
        await isClosed(page);
        await page.getByText("Nothing matches the filter.").waitFor();

        await page.getByLabel("Status").selectOption({ label: "Deactivated" });
        await choose(page, `${name} Reed`, "Reactivate");
        await page.getByText("Nothing matches the filter.").waitFor();
        const answer = await gateway.as(org.owner).get(`/api/v1/users/${ida.id}`);
        expect(answer.body).to.have.nested.property("user.is_active", true);
        expect(answer.body).to.have.nested.property("user.role", 300);
        expect(complaints.filter((one) => !one.includes("ERR_"))).to.deep.equal([]);
      });

      it("mails an invitation, makes a link, and revokes both", async () => {
        const { page } = await openSection("invitations", width);
        const address = `new-${width}@example.com`;
        await page.getByRole("button", { name: "Invite people", exact: true }).click();
        await dialog(page).getByLabel("E-mail addresses").fill(address);
        await press(page, "Send invitations");
        await isClosed(page);
        await row(page, address).waitFor();
        await page.getByRole("button", { name: "Make an invitation link", exact: true }).click();
        await press(page, "Make an invitation link");
        const link = await dialog(page).getByRole("textbox").inputValue();
        expect(link).to.match(/\/join\/\w+/);
        await press(page, "Close");
        await row(page, link).waitFor();
        for (const name of [address, link]) {
          await choose(page, name, "Revoke");
          await press(page, "Revoke");
          await isClosed(page);
          await row(page, name).waitFor({ state: "detached" });
        }
      });

      it("creates a group, changes its members, and deactivates it", async () => {
        const { db, org, gateway } = scene();
        const member = await user(db, org.realm, { fullName: `Gwen ${width}` });
        const name = `herons-${width}`;
        const { page } = await openSection("groups", width);
        await page.getByRole("button", { name: "Create a group", exact: true }).click();
        await dialog(page).getByLabel("Name", { exact: true }).fill(name);
        await press(page, "Create");
        await isClosed(page);
        await choose(page, name, "Members");
        await dialog(page).getByLabel("Filter").fill(member.fullName);
        await dialog(page).getByRole("checkbox", { name: member.fullName }).check();
        await press(page, "Save");
        await isClosed(page);
        await row(page, name).getByText("2", { exact: true }).waitFor();
        const { body } = await gateway.as(org.owner).get("/api/v1/user_groups");
        const { user_groups: groups } = body as unknown as Groups;
        expect(groups.find((one) => one.name === name)?.members).to.include(member.id);
        await choose(page, name, "Deactivate");
        await press(page, "Deactivate");
        await isClosed(page);
        await row(page, name).getByText("Deactivated").waitFor();
      });

      it("creates, edits and archives a channel, and shows why a name is refused", async () => {
        const { db, org } = scene();
        const taken = await channel(db, org.owner, { name: `taken-${width}` });
        const name = `reeds-${width}`;
        const { page } = await openSection("channels", width);
        await page.getByRole("button", { name: "Create a channel", exact: true }).click();
        await dialog(page).getByLabel("Name", { exact: true }).fill(taken.name);
        await press(page, "Create");
        expect(await dialog(page).getByRole("alert").textContent()).to.include(taken.name);
        await dialog(page).getByLabel("Name", { exact: true }).fill(name);
        await dialog(page).getByLabel("Access").selectOption({ label: "Private" });
        await press(page, "Create");
        await isClosed(page);
        await row(page, name).getByText("Private", { exact: true }).waitFor();
        await choose(page, name, "Edit");
        await dialog(page).getByLabel("Description").fill("By the water");
        await press(page, "Save");
        await isClosed(page);
        await row(page, name).getByText("By the water").waitFor();
        await choose(page, name, "Archive");
        await press(page, "Archive");
        await isClosed(page);
        await row(page, name).waitFor({ state: "detached" });
      });

      it("changes settings, and keeps a refused text with the reason", async () => {
        const { org, gateway } = scene();
        const { page } = await openSection("policies", width);
        const setting = async (name: string) =>
          (
            (await gateway.as(org.owner).post("/api/v1/register", { fetch_event_types: ["realm"] }))
              .body as Record<string, unknown>
          )[`realm_${name}`];
        const becomes = (name: string, value: unknown) =>
          waitFor(async () => (await setting(name)) === value, { what: `${name} is saved` });

        const isUnique = (await setting("require_unique_names")) as boolean;
        await page.getByLabel("Names must be unique").click();
        await becomes("require_unique_names", !isUnique);
        await page.getByLabel("Seconds in which a message may be edited").fill("");
        await page.getByRole("button", { name: "Save", exact: true }).click();
        await becomes("message_content_edit_limit_seconds", null);
        await page.getByLabel("Seconds in which a message may be edited").fill(`${width}`);
        await page.getByRole("button", { name: "Save", exact: true }).click();
        await becomes("message_content_edit_limit_seconds", width);
        const { body } = await gateway.as(org.owner).get("/api/v1/user_groups");
        const administrators = (body as unknown as Groups).user_groups.find(
          (one) => one.name === "role:administrators",
        );
        const permission = page.getByLabel("Who may create public channels");
        await permission.selectOption("Administrators");
        await becomes("can_create_public_channel_group", administrators?.id);
        await permission.selectOption("Members");

        const name = page.getByLabel("Name of the organization");
        await name.fill("H".repeat(41));
        await page.getByRole("button", { name: "Save", exact: true }).click();
        await page.getByRole("alert").waitFor();
        expect(await name.inputValue()).to.have.length(41);
        expect(await setting("name")).to.equal("Herons");
      });

      it("adds an emoji and removes it", async () => {
        const { page } = await openSection("emoji", width);
        const name = `heron_${width}`;
        await page.getByRole("button", { name: "Add an emoji", exact: true }).click();
        await dialog(page).getByLabel("Name", { exact: true }).fill(name);
        await dialog(page)
          .getByLabel("Picture")
          .setInputFiles({
            name: "heron.png",
            mimeType: "image/png",
            buffer: Buffer.from(picture, "base64"),
          });
        await press(page, "Add an emoji");
        await isClosed(page);
        await row(page, name).waitFor();
        await page.getByRole("button", { name: `Remove :${name}:`, exact: true }).click();
        await press(page, "Remove");
        await isClosed(page);
        await row(page, name).waitFor({ state: "detached" });
      });

      it("creates a bot, gives it a new key, and shows that it has no URL", async () => {
        const { page } = await openSection("bots", width);
        const name = `Frog Counter ${width}`;
        await page.getByRole("button", { name: "Create a bot", exact: true }).click();
        await dialog(page).getByLabel("Name", { exact: true }).fill(name);
        await dialog(page).getByLabel("Short name").fill(`frogs${width}`);
        await press(page, "Create");
        const first = await dialog(page).getByLabel("API key").inputValue();
        await press(page, "Close");
        await choose(page, name, "New key");
        await press(page, "New key");
        await dialog(page).getByLabel("API key").waitFor();
        const second = await dialog(page).getByLabel("API key").inputValue();
        expect(second)
          .to.match(/^\w{32}$/)
          .and.not.equal(first);
        await press(page, "Close");
        await choose(page, name, "URLs and failures");
        await dialog(page).getByText("The bot calls no URL").waitFor();
        await press(page, "Close");
      });

      it("fit the screen, and have no serious accessibility faults", async () => {
        const { page } = await openSection("people", width);
        const sections = [
          "People",
          "Invitations",
          "Groups",
          "Channels",
          "Settings",
          "Emoji",
          "Bots",
        ];
        for (const section of sections) {
          await page.getByRole("navigation", { name: "Organization" }).getByText(section).click();
          await page.getByRole("region", { name: section, exact: true }).first().waitFor();
          const faults = await accessibilityFaults(page);
          expect(
            faults.filter((fault) => /^(critical|serious) /.test(fault)),
            section,
          ).to.deep.equal([]);
          const [content, room] = await page.evaluate<[number, number]>(
            "[document.documentElement.scrollWidth, document.documentElement.clientWidth]",
          );
          expect(content, section).to.be.at.most(room);
        }
      });
    });
  }

  it("show a member settings that they cannot change, and the refusal of what they try", async () => {
    const { db, org } = scene();
    const member = await user(db, org.realm, { fullName: "Milo" });
    const { page } = await openSection("policies", 1_200, member);
    await page.getByText("Only administrators can change these settings.").waitFor();
    expect(await page.getByLabel("Names must be unique").isDisabled()).to.equal(true);
    await page.getByRole("navigation", { name: "Organization" }).getByText("People").click();
    await choose(page, "Milo", "Change role");
    await dialog(page).getByLabel("Role").selectOption({ label: "Owner" });
    await press(page, "Save");
    await dialog(page).getByRole("alert").waitFor();
  });
});
