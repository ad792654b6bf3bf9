import { skipSeriesOccurrence } from "@carillon/contract";
import { deliverDue } from "@carillon/jobs";
import { readEnvironment, Shutdown, silentLogger } from "@carillon/kit";
import {
  changeChannel,
  channel,
  channelMessage,
  createdSeries,
  dailySeries,
  makeDue,
  movePlanned,
  type Params,
  reservePort,
  runJob,
  schedule,
  send,
  seriesOf,
  type TestChannel,
  toChannel,
  useScene,
} from "@carillon/testkit";
import { expect } from "chai";

import { observeWorker } from "./observe.ts";

describe("the metrics of a worker's deliveries", () => {
  const scene = useScene();
  let room: TestChannel;

  before(async () => {
    room = await channel(scene.db, scene.org.member, {
      subscribers: [scene.org.member, scene.org.admin],
    });
  });

  /** Delivers what is due as a worker does, and returns its metrics of one name by their labels. */
  async function deliveredMetrics(name: string): Promise<Record<string, number>> {
    const shutdown = new Shutdown(silentLogger);
    const port = await reservePort();
    const env = readEnvironment({ METRICS_PORT: String(port) });
    const { db, org } = scene;
    const observer = observeWorker(
      {
        env,
        log: silentLogger,
        db,
        files: { isUnavailable: false },
        pingQueues: async () => undefined,
      },
      shutdown,
    );
    const { onDelivery } = observer;
    await observer.serve(() => ({}));
    try {
      const second = Math.floor(Date.now() / 1_000) - 1;
      const services = { onDelivery };
      await runJob(db, deliverDue, { realmId: org.realm.id, second }, { services });
      const text = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text();
      const lines = text.matchAll(new RegExp(`^${name}\\{\\w+="(\\w+)"\\} (\\d+)$`, "gm"));
      return Object.fromEntries([...lines].map(([, label = "", value]) => [label, Number(value)]));
    } finally {
      await shutdown.run();
    }
  }

  it("count withheld messages by the kind of their condition", async () => {
    const { db, org } = scene;
    const unless = [[{ kind: "reply" }], [{ kind: "reply" }], [{ kind: "topic_resolved" }]];
    const ids: number[] = [];
    for (const [i, conditions] of unless.entries())
      ids.push(
        await schedule(
          scene.as(org.member),
          channelMessage(room.id, { topic: i < 2 ? "asked" : "closed", unless: conditions }),
        ),
      );
    for (const topic of ["asked", "✔ closed"])
      await send(scene.as(org.admin), toChannel(room.id, { topic, content: "here" }));
    for (const id of ids) await makeDue(db, id);
    expect(await deliveredMetrics("carillon_withheld_total")).to.deep.equal({
      reply: 2,
      topic_resolved: 1,
    });
  });

  it("count occurrences of series by outcome, with each that was missed", async () => {
    const { db, org } = scene;
    const client = scene.as(org.member);
    const archived = await channel(db, org.member, { subscribers: [org.member] });
    const create = (to: TestChannel, over: Params = {}) =>
      createdSeries(client, dailySeries(to.id, over));
    // Twelve hours from now: an occurrence of the last ten minutes would be sent late, not missed.
    const start = new Date(Date.now() + 12 * 3_600_000)
      .toISOString()
      .replace(/^\d+-\d+-\d+/, "2025-01-01")
      .slice(0, 16);
    const [sent, failed] = [await create(room), await create(archived)];
    const missed = await create(room, { start });
    const unless = [{ kind: "reply" }];
    const withheld = await create(room, { topic: "replied", unless });
    await send(scene.as(org.admin), toChannel(room.id, { topic: "replied", content: "here" }));
    await changeChannel(db, archived, { isArchived: true });
    for (const id of [sent, failed, withheld]) {
      const { next_scheduled_message_id: planned } = await seriesOf(client, id);
      await makeDue(db, planned ?? 0);
    }
    await movePlanned(db, missed, { days: 4, seconds: 3_600 });
    // A skipped occurrence is only in the history: no worker delivers it.
    await client.succeed(skipSeriesOccurrence, { path: { series_id: await create(room) } });
    const counted = await deliveredMetrics("carillon_series_occurrences_total");
    const runs = await db.rows<{ outcome: string; count: number }>(
      "SELECT outcome, count(*)::int FROM series_runs GROUP BY outcome",
    );
    expect(counted).to.deep.equal(
      Object.fromEntries(
        runs
          .filter(({ outcome }) => outcome !== "skipped")
          .map(({ outcome, count }) => [outcome, count]),
      ),
    );
    expect(runs).to.deep.include({ outcome: "skipped", count: 1 });
    expect(counted).to.include({ sent: 1, failed: 1, withheld: 1, missed: 4 });
  });
});
