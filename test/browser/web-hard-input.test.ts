import {
  changeChannel,
  channel,
  channelsLike,
  crowd,
  reload,
  send,
  type TestAccount,
  toChannel,
  waitFor,
} from "@carillon/testkit";
import { expect } from "chai";
import { addedElements, countAddedElements } from "./support/added-elements.ts";
import { useWebClient } from "./support/web-client.ts";
import { inList, messageBox, messageList, sendButton } from "./support/web-page.ts";
import { createTopic } from "./support/web-topic.ts";

/** Names that break out of HTML, attributes, scripts and layouts where they are not escaped. */
const hostileNames: readonly string[] = [
  "<img src=x onerror=globalThis.attacked=1>",
  "</title><script>globalThis.attacked=1</script>",
  "' onfocus=globalThis.attacked=1 autofocus x='",
  "javascript:globalThis.attacked=1",
  "<svg/onload=globalThis.attacked=1>",
  "&lt;b&gt;&#x3c;i&#x3e;&quot;",
  "{{constructor.constructor(1)()}}${1}%s",
  "__proto__",
  "constructor",
  "\u202egnirts \u2066lanoitceridib",
  `Z${"\u0301".repeat(50)}`,
  "W".repeat(60),
  "<style>*{position:fixed;inset:0}</style>",
  "//evil.example/a.png",
];

describe("The browser client", () => {
  const scene = useWebClient();

  function topic(name: string, ...people: readonly TestAccount[]) {
    const { db, org, gateway } = scene();
    const server = { db, org, as: (account: TestAccount) => gateway.as(account) };
    return createTopic(server, name, people, { inviteOnly: true });
  }

  describe("whose rights change", () => {
    it("says that the open channel is closed to the account, and keeps the words", async () => {
      const { person, open, gateway, org } = scene();
      const ada = await person("Ada");
      const { hash, say, room } = await topic("secret", ada);
      await say("before");
      const { page, complaints } = await open(hash, { as: ada });
      await inList(page, "before").waitFor();
      await messageBox(page).fill("half a thought");
      const principals = { subscriptions: [room.name], principals: [ada.id] };
      const owner = gateway.as(org.owner);
      const removed = await owner.delete("/api/v1/users/me/subscriptions", principals);
      expect(removed.status).to.equal(200);
      await page.getByRole("alert").filter({ hasText: "You are not in this channel" }).waitFor();
      expect(await messageList(page).count()).to.equal(0);
      expect(await messageBox(page).inputValue()).to.equal("half a thought");
      await say("without Ada");
      await owner.post("/api/v1/users/me/subscriptions", {
        subscriptions: [{ name: room.name }],
        principals: [ada.id],
      });
      await say("again with Ada");
      await inList(page, "again with Ada").waitFor();
      expect(await messageBox(page).inputValue()).to.equal("half a thought");
      expect(complaints.filter((one) => !/ 400 |ERR_/.test(one))).to.deep.equal([]);
    });

    it("takes the controls from an administrator who becomes a member", async () => {
      const { person, open, gateway, org, db } = scene();
      const ben = await person("Ben");
      const owner = gateway.as(org.owner);
      const role = (value: number) =>
        owner.patch(`/api/v1/users/${ben.id}`, { role: value }).then(({ status }) => status);
      expect(await role(200)).to.equal(200);
      const { page } = await open("#organization/settings", { as: await reload(db, ben) });
      const fields = page.locator(".settings input, .settings select");
      await fields.first().waitFor();
      expect(await fields.first().isEnabled()).to.equal(true);
      await open("#organization/people", { as: await reload(db, ben) }).then(
        async ({ page: people }) => {
          await people.getByRole("button", { name: "Actions for Ben" }).click();
          await people.getByRole("menuitem", { name: "Deactivate" }).click();
          expect(await role(400)).to.equal(200);
          const dialog = people.getByRole("dialog");
          await dialog.getByRole("button", { name: "Deactivate" }).click();
          await dialog.getByRole("alert").waitFor();
        },
      );
      await page.getByText("Only administrators can change").waitFor();
      await waitFor(
        async () => {
          const all = await fields.all();
          return (await Promise.all(all.map((one) => one.isEnabled()))).every((is) => !is);
        },
        { what: "no field can be changed" },
      );
    });
  });

  describe("on a machine whose clock is wrong", () => {
    const awaySeconds = 3 * 3_600;
    for (const [what, hours] of [
      ["behind", -24],
      ["ahead", 24],
    ] as const)
      it(`means the server's hour if it is a day ${what}`, async () => {
        const { person, open, db } = scene();
        const cem = await person(`Cem ${what}`);
        const { hash, say } = await topic(`clock ${what}`, cem);
        await say("now");
        const { page } = await open(hash, {
          as: cem,
          prepare: async ({ page: made }) => {
            // Its answers would correct the clock that is set below.
            await made.route("**/users/me/presence", (route) => route.abort());
            await made.addInitScript(`{
              const Real = Date;
              let ahead = ${hours} * 3_600_000;
              globalThis.pass = (ms) => { ahead += ms; };
              globalThis.Date = class extends Real {
                constructor(...given) { given.length > 0 ? super(...given) : super(Real.now() + ahead); }
                static now() { return Real.now() + ahead; }
              };
              // The page looks at the clock every 15 seconds.
              const every = setInterval;
              globalThis.setInterval = (run, ms) => every(run, Math.min(ms, 250));
            }`);
          },
        });
        const sent = inList(page, "now");
        await sent.waitFor();
        const shownAt = await messageList(page).locator("time").first().getAttribute("datetime");
        expect(Math.abs(Date.parse(shownAt ?? "") - Date.now())).to.be.below(120_000);
        await messageBox(page).fill("in an hour");
        await page.getByRole("button", { name: "Send later" }).click();
        const inAnHour = page.getByRole("menuitem", { name: /^In an hour/ });
        const hourOf = async () =>
          Number(/(\d+):\d\d/.exec((await inAnHour.textContent()) ?? "")?.[1]);
        const offered = await hourOf();
        // The words are written, and the person is away for three hours.
        await page.evaluate(`pass(${awaySeconds * 1_000})`);
        await waitFor(async () => ((await hourOf()) - offered + 12) % 12 >= 3, {
          what: "the offer is three hours later",
        });
        await inAnHour.click();
        const [row] = await waitFor(
          async () => {
            const rows = await db.rows<{ seconds: number }>(
              `SELECT extract(epoch FROM deliver_at - now())::int AS seconds FROM scheduled_messages WHERE sender_id = $1`,
              [cem.id],
            );
            return rows.length > 0 && rows;
          },
          { what: "the message is scheduled" },
        );
        expect((row?.seconds ?? 0) - awaySeconds).to.be.within(3_500, 3_700);
        await page.getByRole("navigation").getByRole("link", { name: "My schedule" }).click();
        await page
          .getByText(/in (1 hour|6[01] minutes|59 minutes)/)
          .first()
          .waitFor();
      });
  });

  describe("in a browser that stores nothing", () => {
    for (const [what, refused] of [
      ["refuses storage", ["getItem", "setItem", "removeItem", "key"]],
      ["is full", ["setItem"]],
    ] as const)
      it(`says so and still sends, if it ${what}`, async () => {
        const { person, open } = scene();
        const password = "four quiet herons drink";
        const dora = await person(`Dora ${refused.length}`, password);
        const { hash, room } = await topic(`stores ${refused.length}`, dora);
        const { page, complaints } = await open(hash, {
          prepare: ({ page: made }) =>
            made.addInitScript(`for (const name of ${JSON.stringify(refused)})
              Storage.prototype[name] = () => { throw new DOMException("refused", "QuotaExceededError"); };`),
        });
        const alert = page.getByRole("alert").filter({ hasText: "cannot store" });
        await alert.waitFor();
        await page.getByRole("textbox", { name: "E-mail address" }).fill(dora.deliveryEmail);
        await page.getByLabel("Password", { exact: true }).fill(password);
        await page.getByRole("button", { name: "Sign in", exact: true }).click();
        await alert.waitFor();
        await messageBox(page).fill("from memory");
        await sendButton(page).click();
        await inList(page, "from memory").waitFor();
        await page.locator(".unsent").waitFor({ state: "detached" });
        expect(await messageBox(page).inputValue()).to.equal("");
        expect(complaints.filter((one) => !/ 404 |ERR_/.test(one))).to.deep.equal([]);
        await changeChannel(scene().db, room, {
          canSendMessageGroupId: scene().org.groups["role:owners"],
        });
        await messageBox(page).fill("refused");
        await sendButton(page).click();
        await page.getByRole("button", { name: "Send again" }).waitFor();
      });
  });

  describe("with hostile names", () => {
    for (const width of [1_200, 390])
      it(`runs nothing, loads nothing from elsewhere and shows the box, at ${width} px`, async () => {
        const { person, open, db, org, gateway } = scene();
        const eva = await person(`Eva ${width}`);
        const rooms = [];
        for (const name of hostileNames) {
          const mate = await person(name);
          const room = await channel(db, org.owner, {
            name: width === 390 ? `${name.slice(0, 59)}.` : name,
            description: name,
            subscribers: [eva, mate],
          });
          await send(
            gateway.as(mate),
            toChannel(room.id, { topic: name.replaceAll(/[\u202e\u2066]/g, ""), content: name }),
          );
          rooms.push(room);
        }
        const { page, complaints } = await open("#feed", {
          as: eva,
          viewport: { width, height: 800 },
        });
        const elsewhere: string[] = [];
        page.on("request", (request) => {
          const url = request.url();
          const isOwn = url.startsWith(gateway.url) || /^(blob|data):/.test(url);
          if (!isOwn && !url.includes("gravatar")) elsewhere.push(url);
        });
        page.on("dialog", (dialog) => elsewhere.push(`dialog ${dialog.message()}`));
        const pages = [
          "#feed",
          ...rooms.map(({ id }) => `#narrow/channel/${id}`),
          `#narrow/channel/${rooms[0]?.id}/topic/${encodeURIComponent(hostileNames[0] ?? "").replaceAll("%", ".")}`,
          "#organization/people",
          "#organization/channels",
        ];
        for (const hash of pages) {
          await page.evaluate(`location.hash = ${JSON.stringify(hash)}`);
          const isList = !hash.startsWith("#organization");
          await (
            isList ? messageList(page).locator(".rendered").first() : page.locator("table")
          ).waitFor();
          expect(await page.evaluate("document.documentElement.scrollWidth"), hash).to.equal(width);
          if (!isList) continue;
          // The box is at the top of the page where it is drawn, and inside of the window.
          const isFree = await page.evaluate(`(() => {
            const { left, top, width, height } = document.querySelector("textarea").getBoundingClientRect();
            return [[0.1, 0.5], [0.5, 0.5], [0.9, 0.5]].every(([x, y]) =>
              document.elementFromPoint(left + x * width, top + y * height)?.closest(".compose") != null);
          })()`);
          expect(isFree, `the box of ${hash}`).to.equal(true);
        }
        // Names in suggestions, and in the profile of a person.
        await page.evaluate(`location.hash = "#feed"`);
        await messageBox(page).fill("");
        await messageBox(page).pressSequentially("@<img");
        await page.getByRole("listbox").getByRole("option").first().waitFor();
        await messageBox(page).press("Enter");
        expect(await page.evaluate("globalThis.attacked")).to.equal(undefined);
        expect(elsewhere).to.deep.equal([]);
        expect(complaints.filter((one) => !/ERR_|gravatar/.test(one))).to.deep.equal([]);
      });
  });

  describe("of an organization with 10,000 people and 2,000 channels", () => {
    it("completes names, follows events and changes the view without drawing everything again", async () => {
      const { person, open, db, org } = scene();
      const fay = await person("Fay");
      const { room, hash, say } = await topic("large", fay);
      await crowd(db, org.member, 10_000);
      await channelsLike(db, await channel(db, org.owner), 2_000);
      await db.rows(
        `INSERT INTO subscriptions SELECT (jsonb_populate_record(s, jsonb_build_object(
           'channel_id', c.id))).*
         FROM subscriptions s, channels c
         WHERE s.channel_id = $1 AND s.user_id = $2 AND c.realm_id = $3 AND c.name LIKE 'many%'`,
        [room.id, fay.id, org.realm.id],
      );
      await say("hello");
      const { page } = await open(hash, {
        as: fay,
        prepare: ({ page: made }) => made.addInitScript(countAddedElements),
      });
      await inList(page, "hello").waitFor();
      const channels = page.getByRole("navigation").getByRole("link", { name: /many/ });
      await channels.nth(1_900).waitFor({ state: "attached" });
      await addedElements(page, "opening");
      await messageBox(page).pressSequentially("@crowd");
      await page.getByRole("listbox").getByRole("option").first().waitFor();
      expect(await addedElements(page, "typing six characters")).to.be.below(100);
      await messageBox(page).fill("");
      for (let n = 0; n < 20; n++) await say(`message ${n}`);
      await inList(page, "message 19").waitFor();
      expect(await addedElements(page, "following 20 messages")).to.be.below(1_000);
      await page.getByRole("link", { name: "All messages" }).click();
      await inList(page, "message 19").waitFor();
      // 2,000 of these elements are options: the channels to which a message can be sent.
      expect(await addedElements(page, "changing the view")).to.be.below(3_000);
    });
  });
});
