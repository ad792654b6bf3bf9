import { Client } from "@carillon/client";
import type { Browser } from "playwright-core";
import type { Row } from "../lib/report.ts";
import type { BenchChannel, Member } from "../lib/world.ts";
import { longestFrame, openTab, untilMessages } from "./browser.ts";

/**
 * Measures how long scripts keep a frame in a large organization while a name is completed, messages arrive and the view
 * changes. The member must be subscribed to all its channels.
 */
export async function measureCrowd(
  browser: Browser,
  site: string,
  { sender, reader, channel }: { sender: Member; reader: Member; channel: BenchChannel },
): Promise<Row> {
  const limit = 200;
  const tab = await openTab(browser, site, reader);
  const { page } = tab;
  await page.goto(`${site}/#narrow/channel/${channel.id}/topic/crowd`);
  const client = new Client({ site, ...sender });
  const say = async (content: string) => {
    await client.sendMessage({ type: "channel", to: channel.id, topic: "crowd", content });
    await page.getByRole("log").getByText(content, { exact: true }).waitFor();
  };
  await say("hello.");
  await untilMessages(tab);
  await longestFrame(tab);

  const box = page.getByRole("textbox", { name: "Message", exact: true });
  await box.pressSequentially("@crowd");
  await page.getByRole("listbox").getByRole("option").first().waitFor();
  const typing = await longestFrame(tab);
  await box.fill("");
  for (let n = 0; n < 20; n++) await say(`message ${n}.`);
  const following = await longestFrame(tab);
  await page.getByRole("link", { name: "All messages" }).click();
  await page.getByRole("log").getByText("message 19.", { exact: true }).waitFor();
  const changing = await longestFrame(tab);
  await tab.context.close();
  return {
    question:
      "10,000 people and 2,000 channels: the longest that our scripts kept a frame while a name was completed, 20 messages arrived, the view changed",
    value: [typing, following, changing].map(({ ms }) => `${ms.toFixed(0)} ms`).join(", "),
    target: `each at most ${limit} ms`,
    holds: [typing, following, changing].every(({ ms }) => ms <= limit),
  };
}
