import { markChannelRead } from "@carillon/contract";
import { waitFor } from "@carillon/testkit";
import { expect } from "chai";
import type { Page, Request, Response } from "playwright-core";
import { holdRequests } from "./support/hold-requests.ts";
import { useWebClient } from "./support/web-client.ts";
import { inList } from "./support/web-page.ts";
import { createTopic } from "./support/web-topic.ts";

describe("The browser client's first request for messages", () => {
  const scene = useWebClient();

  const openTopic = async (name: string, prepare: (page: Page) => Promise<unknown>) => {
    const { db, org, gateway, person, open } = scene();
    const reader = await person(name);
    const topic = await createTopic({ db, org, as: (one) => gateway.as(one) }, name, [reader]);
    await topic.say("before");
    let messages: Promise<Response> | undefined;
    const { page } = await open(topic.hash, {
      as: reader,
      prepare: async (opened) => {
        messages = opened.page.waitForResponse(/\/api\/v1\/messages\?/);
        await prepare(opened.page);
      },
    });
    return { page, say: topic.say, messages: await messages };
  };

  const shown = (page: Page) => page.locator("[role=log] .rendered").allInnerTexts();

  it("is sent while the registration is still being read, and misses no message sent meanwhile", async () => {
    const { page, say } = await openTopic("early", holdRegistrations);
    await say("between");
    await page.evaluate("releaseRegistration()");
    await inList(page, "between").waitFor();
    expect(await shown(page)).to.deep.equal(["before", "between"]);
  });

  it("is sent again if the registration breaks off and another one follows", async () => {
    const { page, say } = await openTopic("broken", holdRegistrations);
    await say("between");
    await page.evaluate("breakRegistration()");
    await waitFor(() => page.evaluate<boolean>("registrations === 2"), {
      what: "the client registers again",
    });
    await page.evaluate("releaseRegistration()");
    await inList(page, "between").waitFor();
    expect(await shown(page)).to.deep.equal(["before", "between"]);
  });

  it("is sent again if events arrive before the views are loaded", async () => {
    let release = () => {};
    const polls: Request[] = [];
    const { page, say } = await openTopic("late", async (opened) => {
      release = await holdRequests(opened, "**/assets/app-*.js");
      opened.on("request", (request) => {
        if (isPoll(request)) polls.push(request);
      });
    });
    const answer = page.waitForResponse(
      async (response) => isPoll(response.request()) && (await response.text()).includes("between"),
    );
    await say("between");
    const answered = (await answer).request();
    await waitFor(() => polls.at(-1) !== answered, {
      what: "the next poll acknowledges the event",
    });
    release();
    await inList(page, "between").waitFor();
    expect(await shown(page)).to.deep.equal(["before", "between"]);
  });

  it("is the only one if its messages fill the view and what is near it", async () => {
    const { db, org, gateway, person, open } = scene();
    const reader = await person("full");
    const { hash, say, room } = await createTopic(
      { db, org, as: (one) => gateway.as(one) },
      "full",
      [reader],
    );
    // Until the rows are drawn, the list takes them for lower than they are.
    for (let sent = 1; sent <= 60; sent++) await say(`Soup ${sent}\n\nwith\n\nbread`);
    await gateway.as(reader).succeed(markChannelRead, { params: { stream_id: room.id } });
    const requests: string[] = [];
    const { page } = await open(hash, {
      as: reader,
      prepare: async (opened) => {
        opened.page.on("request", (request) => {
          if (request.url().includes("/api/v1/messages?")) requests.push(request.url());
        });
      },
    });
    // Rows get their buttons when the browser has been idle after drawing them.
    await page.getByRole("button", { name: "More", exact: true }).first().waitFor();
    expect(requests).to.have.length(1);
  });
});

const isPoll = (request: Request) => request.url().includes("/api/v1/events?");

/** Lets the page have the head of each answer to `POST /register`, and holds its body until the test releases or breaks it. */
async function holdRegistrations(page: Page): Promise<void> {
  await page.addInitScript(`
    const send = fetch;
    globalThis.registrations = 0;
    globalThis.fetch = async (url, init) => {
      const response = await send(url, init);
      if (!String(url).endsWith("/api/v1/register")) return response;
      registrations++;
      const whole = response.clone().arrayBuffer();
      const body = new ReadableStream({
        start(controller) {
          globalThis.breakRegistration = () => controller.error(new TypeError("broken off"));
          globalThis.releaseRegistration = async () => {
            controller.enqueue(new Uint8Array(await whole));
            controller.close();
          };
        },
      });
      const { status, headers } = response;
      return new Response(body, { status, headers });
    };
  `);
}
