import type { Browser } from "playwright-core";
import { type Row, say } from "../lib/report.ts";
import type { BenchChannel, Member } from "../lib/world.ts";
import { heapOf, longestFrame, openTab, type Tab, untilMessages } from "./browser.ts";

/** Pixels of one turn of the wheel. */
const turn = -1_200;
const mebibyte = 1024 ** 2;

/**
 * Scrolls up through all messages of a channel: the frame that scripts have kept the longest, and the growth of the heap
 * between the first quarter and the end.
 * @param first id of the channel's oldest message
 */
export async function measureScrolling(
  browser: Browser,
  site: string,
  member: Member,
  { channel, first, count }: { channel: BenchChannel; first: number; count: number },
): Promise<Row[]> {
  const tab = await openTab(browser, site, member);
  const { page } = tab;
  await page.goto(`${site}/#narrow/channel/${channel.id}`);
  await untilMessages(tab);
  const newest = await extreme(tab, "max");
  await page.mouse.move(700, 300);
  await longestFrame(tab);
  let early = 0;
  const startedAt = performance.now();
  let lastSaid = startedAt;
  for (let oldest = newest; oldest > first; oldest = await extreme(tab, "min")) {
    for (let i = 0; i < 10; i++) await page.mouse.wheel(0, turn);
    if (early === 0 && (newest - oldest) / (newest - first) > 0.25) early = await heapOf(tab);
    if (performance.now() - lastSaid > 20_000) {
      lastSaid = performance.now();
      say(`scrolling: ${(((newest - oldest) / (newest - first)) * 100).toFixed(0)} %`);
    }
    if (performance.now() - startedAt > 300_000) throw new Error("the oldest message is not shown");
  }
  const late = await heapOf(tab);
  const { ms, names, over50 } = await longestFrame(tab);
  await tab.context.close();
  return [
    {
      question: `scrolling up through ${count.toLocaleString("en")} messages: the longest that our scripts kept a frame`,
      value: `${ms.toFixed(0)} ms (${names}; ${over50} over 50 ms)`,
      target: "at most 50 ms",
      holds: ms <= 50,
    },
    {
      question: "growth of the heap from the first quarter of that to its end",
      value: `${((late - early) / mebibyte).toFixed(1)} MiB, to ${(late / mebibyte).toFixed(1)}`,
      target: "at most 5 MiB",
      holds: late - early <= 5 * mebibyte,
    },
  ];
}

/** Measures the heap of a tab that shows messages, and in which nothing happens. */
export async function measureIdle(browser: Browser, site: string, member: Member): Promise<Row> {
  const tab = await openTab(browser, site, member);
  await tab.page.goto(site);
  await untilMessages(tab);
  await tab.page.waitForTimeout(3_000);
  const heap = await heapOf(tab);
  await tab.context.close();
  return {
    question: "JavaScript heap of an idle tab, 1,000 people and 200 channels",
    value: `${(heap / mebibyte).toFixed(1)} MiB`,
    target: "at most 60 MiB",
    holds: heap <= 60 * mebibyte,
  };
}

/** Returns the smallest or the largest id among the drawn messages. */
function extreme({ page }: Tab, which: "min" | "max"): Promise<number> {
  return page.evaluate<number>(
    `Math.${which}(...[...document.querySelectorAll("[data-message-id]")].map((row) => Number(row.dataset.messageId)))`,
  );
}
