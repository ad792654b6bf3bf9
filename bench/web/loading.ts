import type { Browser } from "playwright-core";
import type { Row } from "../lib/report.ts";
import { median, spread } from "../lib/statistics.ts";
import type { Member } from "../lib/world.ts";
import { openTab, untilMessages } from "./browser.ts";

/** A request of the browser client that a plain program repeats. */
interface Recorded {
  readonly url: string;
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | undefined;
}

/**
 * Compares the time from navigation to messages on the screen, with an empty cache, with that of a program that sends the
 * same `POST /register` and `GET /messages`, one after the other.
 */
export async function measureLoading(
  browser: Browser,
  site: string,
  member: Member,
  rounds: number,
): Promise<Row> {
  const recorded = await record(browser, site, member);
  const shown: number[] = [];
  const plain: number[] = [];
  for (let round = 0; round < rounds; round++) {
    const startedAt = performance.now();
    for (const { url, method, headers, body } of recorded) {
      const answer = await fetch(url, { method, headers, ...(body !== undefined && { body }) });
      if (!answer.ok) throw new Error(await answer.text());
      await answer.text();
    }
    plain.push(performance.now() - startedAt);
    const tab = await openTab(browser, site, member);
    await tab.page.goto(site);
    shown.push(await untilMessages(tab));
    await tab.context.close();
  }
  const limit = 1.5 * median(plain) + 300;
  return {
    question: `from navigation to messages on the screen, empty cache, 1,000 people and 200 channels, ${rounds} rounds`,
    value: `${spread(shown)} ms; both requests of a program ${spread(plain)} ms`,
    target: `at most 1.5 × the program's and 300 ms (${limit.toFixed(0)} ms)`,
    holds: median(shown) <= limit,
  };
}

/** Opens the client once, and returns its first `POST /register` and `GET /messages`. */
async function record(browser: Browser, site: string, member: Member): Promise<Recorded[]> {
  const tab = await openTab(browser, site, member);
  const found = new Map<string, Recorded>();
  tab.page.on("request", (request) => {
    const [name] = /\/api\/v1\/(?:register|messages)(?=\?|$)/.exec(request.url()) ?? [];
    if (name === undefined || found.has(name)) return;
    const { authorization, "content-type": type } = request.headers();
    found.set(name, {
      url: request.url(),
      method: request.method(),
      headers: {
        "accept-encoding": "gzip, deflate, br",
        ...(authorization !== undefined && { authorization }),
        ...(type !== undefined && { "content-type": type }),
      },
      body: request.postData() ?? undefined,
    });
  });
  await tab.page.goto(site);
  await untilMessages(tab);
  await tab.context.close();
  const inOrder = ["/api/v1/register", "/api/v1/messages"].map((name) => found.get(name));
  if (inOrder.includes(undefined)) throw new Error("the client did not send both requests");
  return inOrder as Recorded[];
}
