import { channel, succeeded, type TestAccount, user, waitFor } from "@carillon/testkit";
import { allOperations } from "@carillon/contract";
import { expect } from "chai";
import type { Page } from "playwright-core";
import { seriousFaults } from "./support/axe.ts";
import { useWebClient } from "./support/web-client.ts";

const picture =
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";

interface Invites {
  readonly invites: ReadonlyArray<{ email?: string; link_url?: string }>;
}

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
  /** What the API answers the owner. */
  async function read<Result extends object>(path: string): Promise<Result> {
    const { gateway, org } = scene();
    return succeeded(await gateway.as(org.owner).get(`/api/v1/${path}`)) as Result;
  }
  /** A setting of the organization, as new clients get it. */
  async function setting(name: string): Promise<unknown> {
    const { gateway, org } = scene();
    const { body } = await gateway
      .as(org.owner)
      .post("/api/v1/register", { fetch_event_types: ["realm"] });
    return (body as Record<string, unknown>)[`realm_${name}`];
  }
  const settingBecomes = (name: string, value: unknown) =>
    waitFor(async () => (await setting(name)) === value, { what: `${name} is saved` });
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
        const invited = async () =>
          (await read<Invites>("invites")).invites.map((one) => one.email ?? one.link_url);
        expect(await invited()).to.include.members([address, link]);
        await page.getByLabel("Filter").fill(address);
        await row(page, link).waitFor({ state: "detached" });
        await page.getByLabel("Filter").fill("");
        for (const name of [address, link]) {
          await choose(page, name, "Revoke");
          await press(page, "Revoke");
          await isClosed(page);
          await row(page, name).waitFor({ state: "detached" });
        }
        expect(await invited())
          .to.not.include.members([address])
          .and.not.include.members([link]);
      });

      it("creates a group, changes its members, and deactivates it", async () => {
        const { db, org } = scene();
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
        const { user_groups: groups } = await read<Groups>("user_groups");
        expect(groups.find((one) => one.name === name)?.members).to.include(member.id);
        await page.getByLabel("Filter").fill(name);
        await page.getByText("1 entry", { exact: true }).waitFor();
        await choose(page, name, "Deactivate");
        await press(page, "Deactivate");
        await isClosed(page);
        await row(page, name).getByText("Deactivated").waitFor();
        const { user_groups: left } = await read<Groups>("user_groups");
        expect(left.map((one) => one.name)).not.to.include(name);
        await choose(page, name, "Reactivate");
        await row(page, name).getByText("Deactivated").waitFor({ state: "detached" });
        const { user_groups: again } = await read<Groups>("user_groups");
        expect(again.map((one) => one.name)).to.include(name);
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
        await page.getByLabel("Filter").fill(name);
        await page.getByText("1 entry", { exact: true }).waitFor();
        const { stream_id: id } = await read<{ stream_id: number }>(`get_stream_id?stream=${name}`);
        const stored = async () => {
          const { streams } = await read<{ streams: ReadonlyArray<{ stream_id: number }> }>(
            "streams?exclude_archived=false&include_all=true",
          );
          return streams.find(({ stream_id }) => stream_id === id);
        };
        expect(await stored()).to.include({
          description: "By the water",
          invite_only: true,
          is_archived: false,
        });
        await choose(page, name, "Archive");
        await press(page, "Archive");
        await isClosed(page);
        await row(page, name).waitFor({ state: "detached" });
        expect(await stored()).to.include({ is_archived: true });
        await page.getByLabel("Status").selectOption({ label: "Archived" });
        await choose(page, name, "Unarchive");
        await row(page, name).waitFor({ state: "detached" });
        expect(await stored()).to.include({ is_archived: false });
      });

      it("changes settings, and keeps a refused text with the reason", async () => {
        const { page } = await openSection("settings", width);
        const isUnique = (await setting("require_unique_names")) as boolean;
        await page.getByLabel("Names must be unique").click();
        await settingBecomes("require_unique_names", !isUnique);
        await page.getByLabel("Seconds in which a message may be edited").fill("");
        await page.getByRole("button", { name: "Save", exact: true }).click();
        await settingBecomes("message_content_edit_limit_seconds", null);
        await page.getByLabel("Seconds in which a message may be edited").fill(`${width}`);
        await page.getByRole("button", { name: "Save", exact: true }).click();
        await settingBecomes("message_content_edit_limit_seconds", width);
        const { user_groups: groups } = await read<Groups>("user_groups");
        const administrators = groups.find((one) => one.name === "role:administrators");
        const permission = page.getByLabel("Who may create public channels");
        await permission.selectOption("Administrators");
        await settingBecomes("can_create_public_channel_group", administrators?.id);
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
        const used = async () =>
          Object.values(
            (
              await read<{ emoji: Record<string, { name: string; deactivated: boolean }> }>(
                "realm/emoji",
              )
            ).emoji,
          )
            .filter(({ deactivated }) => !deactivated)
            .map((one) => one.name);
        expect(await used()).to.include(name);
        await page.getByLabel("Filter").fill("no such emoji");
        await page.getByText("Nothing matches the filter.").waitFor();
        await page.getByLabel("Filter").fill(name);
        await page.getByRole("button", { name: `Remove :${name}:`, exact: true }).click();
        await press(page, "Remove");
        await isClosed(page);
        await row(page, name).waitFor({ state: "detached" });
        expect(await used()).not.to.include(name);
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
        const { members } = await read<{ members: ReadonlyArray<Record<string, unknown>> }>(
          "users",
        );
        const bot = members.find((one) => one["full_name"] === name);
        expect(bot).to.include({ is_bot: true, is_active: true });

        await choose(page, name, "Deactivate");
        await press(page, "Deactivate");
        await isClosed(page);
        await row(page, name).getByText("Deactivated").waitFor();
        const isActive = async () =>
          (await read<{ user: { is_active: boolean } }>(`users/${String(bot?.["user_id"])}`)).user
            .is_active;
        expect(await isActive()).to.equal(false);
        await choose(page, name, "Reactivate");
        await row(page, name).getByText("Deactivated").waitFor({ state: "detached" });
        expect(await isActive()).to.equal(true);
      });

      it("shows the URL of a bot, its state and what failed last", async () => {
        const { db, gateway, org } = scene();
        const name = `Weather ${width}`;
        const { user_id: id } = succeeded(
          await gateway.as(org.owner).post("/api/v1/bots", {
            full_name: name,
            short_name: `weather${width}`,
            bot_type: 3,
            payload_url: "https://weather.example.org/hook",
          }),
        ) as { user_id: number };
        await db.rows("UPDATE bot_service SET failing = true WHERE bot_id = $1", [id]);
        await db.rows(
          `INSERT INTO outgoing_attempt (realm_id, bot_id, webhook_id, message_id, attempt, attempted_at, error, duration_ms,
             outcome, response_head)
           VALUES ($1, $2, 'call_1', 1, 1, now(), 'no complete answer within 10 s', 40, 'failed', '')`,
          [org.realm.id, id],
        );
        const { page } = await openSection("bots", width);
        await page.getByLabel("Filter").fill(name);
        await page.getByText("1 entry", { exact: true }).waitFor();
        await choose(page, name, "URLs and failures");
        await dialog(page).getByText("https://weather.example.org/hook").waitFor();
        await dialog(page).getByText("Failing", { exact: true }).waitFor();
        const call = dialog(page).getByRole("row").filter({ hasText: "no complete answer" });
        await call.getByText("Failed", { exact: true }).waitFor();
        expect(await read<object>(`bots/${id}/webhook`)).to.include({ state: "failing" });
      });

      it("creates a bot that calls a URL", async () => {
        const { page } = await openSection("bots", width);
        const name = `Caller ${width}`;
        await page.getByRole("button", { name: "Create a bot", exact: true }).click();
        await dialog(page).getByLabel("Name", { exact: true }).fill(name);
        await dialog(page).getByLabel("Short name").fill(`caller${width}`);
        await dialog(page).getByLabel("Type").selectOption({ label: "Outgoing webhook" });
        await dialog(page).getByLabel("URL").fill("https://hooks.example.org/frogs");
        await press(page, "Create");
        await dialog(page).getByLabel("API key").waitFor();
        await press(page, "Close");
        const { members } = await read<{ members: ReadonlyArray<Record<string, unknown>> }>(
          "users",
        );
        const bot = members.find((one) => one["full_name"] === name);
        const webhook = await read<object>(`bots/${String(bot?.["user_id"])}/webhook`);
        expect(webhook).to.include({ payload_url: "https://hooks.example.org/frogs" });
      });

      it("turns ways to sign in off, and shows why the last one stays on", async () => {
        const { page } = await openSection("settings", width);
        await page.getByLabel("Filter").fill("Ways to sign in");
        const [byPassword, without] = [
          page.getByLabel("E-mail address and password"),
          page.getByLabel("Without a password"),
        ];
        const methods = async () =>
          (await setting("authentication_methods")) as Record<string, { enabled: boolean }>;
        await without.uncheck();
        await waitFor(async () => !(await methods())["dev"]?.enabled, { what: "it is off" });
        await waitFor(() => byPassword.isEnabled(), { what: "another can be changed" });
        await byPassword.click();
        await page.getByRole("alert").filter({ hasText: "at least one" }).waitFor();
        expect(await byPassword.isChecked()).to.equal(true);
        await waitFor(() => without.isEnabled(), { what: "another can be changed" });
        await without.check();
        await waitFor(async () => (await methods())["dev"]?.enabled, { what: "it is on" });
      });

      it("adds a domain of e-mail addresses, accepts its subdomains, and removes it", async () => {
        const { page } = await openSection("settings", width);
        const name = `herons-${width}.example.com`;
        const stored = async () =>
          (
            await read<{ domains: ReadonlyArray<{ domain: string; allow_subdomains: boolean }> }>(
              "realm/domains",
            )
          ).domains.find(({ domain }) => domain === name);
        const field = page.getByLabel("New domain");
        await field.fill("no domain");
        await page.getByRole("button", { name: "Add the domain", exact: true }).click();
        await page.getByRole("alert").filter({ hasText: "example.com" }).waitFor();
        expect(await field.inputValue()).to.equal("no domain");
        await field.fill(name);
        await page.getByRole("button", { name: "Add the domain", exact: true }).click();
        const entry = page.getByRole("listitem").filter({ hasText: name });
        await entry.waitFor();
        expect(await stored()).to.deep.equal({ domain: name, allow_subdomains: false });
        await entry.getByLabel("also its subdomains").check();
        await waitFor(async () => (await stored())?.allow_subdomains === true, {
          what: "subdomains are accepted",
        });
        const remove = page.getByRole("button", { name: `Remove ${name}`, exact: true });
        await waitFor(() => remove.isEnabled(), { what: "the domain can be removed" });
        await remove.click();
        await entry.waitFor({ state: "detached" });
        expect(await stored()).to.equal(undefined);
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
          expect(await seriousFaults(page), section).to.deep.equal([]);
          const [content, room] = await page.evaluate<[number, number]>(
            "[document.documentElement.scrollWidth, document.documentElement.clientWidth]",
          );
          expect(content, section).to.be.at.most(room);
        }
      });
    });
  }

  it("offer a field for each parameter of `PATCH /realm`", async () => {
    const { page } = await openSection("settings");
    await page.getByLabel("Name of the organization").waitFor();
    const offered = await page.evaluate<string[]>(
      "[...document.querySelectorAll('.settings [name]')].map(({ name }) => name)",
    );
    const operation = allOperations.find(({ id }) => id === "update-realm");
    const parameters = Object.keys(operation?.params ?? {});
    expect(parameters).to.have.length.above(60);
    // The list of domains has operations of its own.
    expect(offered.filter((name) => name !== "domain")).to.have.members(parameters);
  });

  it("show a member settings that they cannot change, and the refusal of what they try", async () => {
    const { db, org } = scene();
    const member = await user(db, org.realm, { fullName: "Milo" });
    const { page } = await openSection("settings", 1_200, member);
    await page.getByText("Only administrators can change these settings.").waitFor();
    expect(await page.getByLabel("Names must be unique").isDisabled()).to.equal(true);
    await page.getByRole("navigation", { name: "Organization" }).getByText("People").click();
    await choose(page, "Milo", "Change role");
    await dialog(page).getByLabel("Role").selectOption({ label: "Owner" });
    await press(page, "Save");
    await dialog(page).getByRole("alert").waitFor();
  });
});
