import { expect } from "chai";

import { logged, queue, presented, presentWithAndWithout } from "./test-support.ts";

describe("events of presence", () => {
  const person = { user_id: 3, email: "mia@carillon.test" };
  const presence = (active: number, idle: number) => ({
    type: "presence",
    payload: {
      ...person,
      server_timestamp: 1_750_000_001.5,
      active_timestamp: active,
      idle_timestamp: idle,
    },
  });
  const website = (status: string, timestamp: number) => ({
    website: { client: "website", status, timestamp, pushable: false },
  });

  it("contain two times for clients that support them, and a state for others", () => {
    const active = presentWithAndWithout(
      presence(1_750_000_000, 1_750_000_000),
      "simplified_presence_events",
    );
    expect(active.with).to.deep.equal([
      {
        type: "presence",
        presences: { 3: { active_timestamp: 1_750_000_000, idle_timestamp: 1_750_000_000 } },
      },
    ]);
    expect(active.without).to.deep.equal([
      {
        type: "presence",
        ...person,
        server_timestamp: 1_750_000_001.5,
        presence: website("active", 1_750_000_000),
      },
    ]);
  });

  it("identify the person only by id if requested", () => {
    const event = logged(presence(1_750_000_000, 1_750_000_000));
    expect(presented(event, queue({ slimPresence: true }))).to.deep.equal([
      {
        type: "presence",
        user_id: 3,
        server_timestamp: 1_750_000_001.5,
        presence: website("active", 1_750_000_000),
      },
    ]);
  });

  it("show idle for a connected account that has long been inactive", () => {
    const [event] = presented(logged(presence(1_749_999_900, 1_750_000_000)), queue());
    expect(event?.["presence"]).to.deep.equal(website("idle", 1_750_000_000));
  });
});
