import {
  channel,
  countQueries,
  organization,
  useDatabase,
  type TestChannel,
  type TestOrganization,
} from "@carillon/testkit";
import { expect } from "chai";

import { channelsShown } from "./channels-seen.ts";

describe("Channels that are shown to accounts", () => {
  const db = useDatabase();
  let org: TestOrganization;
  const rooms: TestChannel[] = [];

  before(async () => {
    org = await organization(db);
    const people = [org.owner, org.admin, org.moderator, org.member, org.guest];
    // Every channel has a different set of subscribers, the last one none; every second one is archived.
    for (let n = 31; n >= 0; n--) {
      const subscribers = people.filter((_, bit) => n & (1 << bit));
      rooms.push(await channel(db, org.realm, { subscribers, isArchived: n % 2 === 1 }));
    }
  });

  const shown = async (count: number) => {
    const ids = rooms.slice(0, count).map(({ id }) => id);
    return countQueries(db, () => channelsShown(db, org.realm.id, ids, [org.bot.id]));
  };

  it("are sent with their subscribers, and mark which are archived", async () => {
    const { result } = await shown(32);
    const [created, ...peers] = result;
    expect(created).to.include({ type: "stream", op: "create" });
    const objects = created?.payload["streams"] as object[];
    expect(objects).to.have.length(32);
    for (const [n, object] of objects.entries())
      expect(object).to.include({ stream_id: rooms[n]?.id, subscriber_count: 0 });
    expect(peers).to.have.length(31);
    for (const [n, { payload }] of peers.entries()) {
      const id = rooms[n]?.id;
      expect(payload).to.have.deep.property("stream_ids", [id]);
      if (rooms[n]?.isArchived) expect(payload).to.have.deep.property("archived", [id]);
      else expect(payload).not.to.have.property("archived");
    }
  });

  it("need as many statements however many there are, and one column for each channel", async () => {
    const [few, many] = [await shown(2), await shown(32)];
    expect(many.statements).to.deep.equal(few.statements);
    const channels = many.statements.filter((text) => text.includes("FROM channels c"));
    expect(channels).to.have.length(1);
    expect(channels[0]).to.match(/^SELECT json_build_array\(/);
  });

  it("yield to the event loop between any two channels", async () => {
    const clock = performance.now.bind(performance);
    let looks = 0;
    performance.now = () => {
      looks++;
      return clock();
    };
    try {
      await shown(32);
    } finally {
      performance.now = clock;
    }
    // Each channel is read, presented, and sorted by its subscribers; then there is an event for each set of
    // subscribers.
    expect(looks).to.be.at.least(3 * 32 + 31);
  });
});
