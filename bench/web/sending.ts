import { Client, type StreamEvent } from "@carillon/client";
import type { Browser } from "playwright-core";
import type { Row } from "../lib/report.ts";
import { quantile } from "../lib/statistics.ts";
import type { BenchChannel, Member } from "../lib/world.ts";
import { openTab, untilMessages } from "./browser.ts";

const topic = "latency";

/**
 * Compares the time from "Send" in one browser until the message is drawn in another with the time from `POST /messages`
 * until another program has the event, message by message.
 */
export async function measureSending(
  browser: Browser,
  site: string,
  { sender, reader, channel }: { sender: Member; reader: Member; channel: BenchChannel },
  count: number,
): Promise<Row> {
  const programs = [sender, reader].map((member) => new Client({ site, ...member }));
  const [from, to] = programs as [Client, Client];
  await from.sendMessage({ type: "channel", to: channel.id, topic, content: "begin" });
  const ends = new AbortController();
  const events = to.events({ event_types: ["message"], signal: ends.signal });
  await events.next();

  const address = `${site}/#narrow/channel/${channel.id}/topic/${topic}`;
  const tabs = [await openTab(browser, site, sender), await openTab(browser, site, reader)];
  const [writing, reading] = tabs as [(typeof tabs)[0], (typeof tabs)[0]];
  for (const tab of tabs) {
    await tab.page.goto(address);
    await untilMessages(tab);
  }
  const box = writing.page.getByRole("textbox", { name: "Message", exact: true });
  const inBrowsers: number[] = [];
  const ofApi: number[] = [];
  for (let n = 0; n < count; n++) {
    const startedAt = performance.now();
    await from.sendMessage({ type: "channel", to: channel.id, topic, content: `plain ${n}.` });
    await arrival(events, `plain ${n}.`);
    ofApi.push(performance.now() - startedAt);

    const text = `written ${n}.`;
    await box.fill(text);
    const shownAt = reading.page.evaluate<number>(untilDrawn(text));
    const sentAt = await writing.page.evaluate<number>(`(() => {
      const now = performance.timeOrigin + performance.now();
      document.querySelector("form.compose").requestSubmit();
      return now;
    })()`);
    inBrowsers.push((await shownAt) - sentAt);
    await arrival(events, text);
  }
  ends.abort(new Error("measured"));
  for (const { context } of tabs) await context.close();
  const [drawn, had] = [quantile(inBrowsers, 0.95), quantile(ofApi, 0.95)];
  return {
    question: `from "Send" to the screen of another browser, ${count} messages`,
    value: `p95 ${drawn.toFixed(0)} ms (median ${quantile(inBrowsers, 0.5).toFixed(0)}); until a program has the event p95 ${had.toFixed(0)} ms`,
    target: "p95 at most 150 ms above the program's",
    holds: drawn <= had + 150,
  };
}

/** Waits for the event of a message. */
async function arrival(events: AsyncIterator<StreamEvent<"message">>, text: string): Promise<void> {
  for (;;) {
    const { value, done } = await events.next();
    if (done) throw new Error("the events have ended");
    if (value.type === "message" && JSON.stringify(value).includes(text)) return;
  }
}

/** Makes an expression whose promise resolves with the time at which a message is drawn, in milliseconds since 1970. */
function untilDrawn(text: string): string {
  return `new Promise((resolve) => {
    const look = () => {
      const rows = [...document.querySelectorAll("[data-message-id]")];
      if (!rows.some((row) => row.textContent.includes(${JSON.stringify(text)}))) return;
      observer.disconnect();
      requestAnimationFrame(() =>
        setTimeout(() => resolve(performance.timeOrigin + performance.now())));
    };
    const observer = new MutationObserver(look);
    observer.observe(document.body, { childList: true, subtree: true, characterData: true });
    look();
  })`;
}
