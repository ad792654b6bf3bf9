import { getEvents, register } from "@carillon/contract";
import { organization, useDatabase, useGateway, waitFor } from "@carillon/testkit";
import { expect } from "chai";

describe("A poll without events", () => {
  const db = useDatabase();
  const gateway = useGateway(db);
  const real = globalThis.setTimeout;
  const pauses: number[] = [];

  before(() => {
    const noting = (...given: Parameters<typeof real>) => {
      pauses.push(given[1] ?? 0);
      return real(...given);
    };
    globalThis.setTimeout = Object.assign(noting, real);
  });
  after(() => {
    globalThis.setTimeout = real;
  });

  it("gets its heartbeat after 45 to 55 seconds, spread over polls", async () => {
    const org = await organization(db);
    const ended = new AbortController();
    const client = gateway.as(org.member);
    const polls = [];
    for (let i = 0; i < 4; i++) {
      const { queue_id, last_event_id } = await client.succeed(register, {
        params: { event_types: ["message"], fetch_event_types: [] },
      });
      const params = { queue_id, last_event_id };
      polls.push(client.call(getEvents, { params, signal: ended.signal }).catch(() => undefined));
    }
    const heartbeats = () => pauses.filter((ms) => ms >= 45_000 && ms <= 55_000);
    await waitFor(() => heartbeats().length >= 4, { what: "all polls wait" });
    expect(new Set(heartbeats()).size, "different pauses").to.be.greaterThan(1);
    ended.abort();
    await Promise.all(polls);
  });
});
