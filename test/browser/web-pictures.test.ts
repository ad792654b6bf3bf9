import { writeFile } from "node:fs/promises";
import {
  changeChannel,
  channel,
  channelMessage,
  createdSeries,
  dailySeries,
  deliverNow,
  inSeconds,
  schedule,
  send,
  type TestAccount,
  toChannel,
} from "@carillon/testkit";
import { expect } from "chai";
import type { Page } from "playwright-core";
import { useWebClient } from "./support/web-client.ts";

const day = 86_400;

/** What the README shows of the browser client. With CARILLON_SCREENSHOTS the tests write its pictures. */
describe("The pictures of the browser client", () => {
  const scene = useWebClient();
  let mia: TestAccount;
  let room: number;

  before("write a day's messages", async () => {
    const { db, gateway, org, person } = scene();
    mia = await person("Mia Marsh");
    const [ben, ada] = [await person("Ben Rivers"), await person("Ada Reed")];
    const subscribers = [mia, ben, ada];
    const launch = await channel(db, org.owner, { name: "launch", subscribers });
    await channel(db, org.owner, { name: "design", subscribers });
    const support = await channel(db, org.owner, { name: "support", subscribers });
    const old = await channel(db, org.owner, { name: "old projects", subscribers });
    room = launch.id;
    const say = (as: TestAccount, content: string, to = launch.id, topic = "release 2.4") =>
      send(gateway.as(as), toChannel(to, { topic, content }));
    await say(
      ben,
      "The release is built. **Two things** are left:\n\n1. the notes\n2. the status page",
    );
    await say(ada, "I write the notes. :memo:");
    await say(
      mia,
      "Good. Then I announce it tomorrow, unless one of you finds something:\n```sh\nnpm run bench -- delivery-burst\n```",
    );
    await say(ben, "All green here :tada:");
    await say(ada, "Who is on call this weekend?", support.id, "rota");
    const later = (content: string, seconds: number, to = launch.id) =>
      schedule(
        gateway.as(mia),
        channelMessage(to, {
          content,
          topic: "release 2.4",
          scheduled_delivery_timestamp: inSeconds(seconds),
        }),
      );
    await later("Release 2.4 is out: see the notes.", day);
    await later("How did the first day go?", 2 * day);
    await createdSeries(
      gateway.as(mia),
      dailySeries(launch.id, { content: "What do you plan today?" }),
    );
    const failing = await later("The numbers of October", day, old.id);
    await changeChannel(db, old, { isArchived: true });
    await deliverNow(db, org.realm, [failing]);
  });

  const keep = async (page: Page, name: string) => {
    const picture = await page.screenshot();
    expect(picture.length, name).to.be.below(120_000);
    const folder = process.env["CARILLON_SCREENSHOTS"];
    if (folder !== undefined) await writeFile(`${folder}/${name}.png`, picture);
  };
  const open = async (hash: string, width = 1_000) => {
    const viewport = { width, height: 700 };
    const { page } = await scene().open(hash, { as: mia, viewport });
    return page;
  };

  it("show a conversation with the menu to send later", async () => {
    const page = await open(`#narrow/channel/${room}/topic/release.202.2E4`);
    await page.getByText("All green here").waitFor();
    await page
      .getByRole("textbox", { name: "Message", exact: true })
      .fill("Release 2.4 is out. Thank you all!");
    await page.getByRole("button", { name: "Send later", exact: true }).click();
    await page.getByRole("menuitem", { name: /^Unless someone replies/ }).waitFor();
    await keep(page, "web-send-later");
  });

  it("show what is scheduled, repeats and has failed", async () => {
    const page = await open("#schedule");
    await page.getByText("This channel is archived").waitFor();
    await page.getByText("What do you plan today?").first().waitFor();
    await keep(page, "web-schedule");
  });

  it("show a conversation on a phone", async () => {
    const page = await open(`#narrow/channel/${room}/topic/release.202.2E4`, 390);
    await page.getByText("All green here").waitFor();
    await keep(page, "web-phone");
  });
});
