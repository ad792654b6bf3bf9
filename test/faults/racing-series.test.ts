import {
  type Answer,
  channel,
  dailySeries,
  deliver,
  type DueSeries,
  dueSeries,
  nth,
  type Params,
  scheduledMessagesPath,
  type TestAccount,
  type TestChannel,
  useBlocker,
  user,
  useScene,
} from "@carillon/testkit";
import { expect } from "chai";
import { withChance } from "./support/chance.ts";
import { expectSoundSeries } from "./support/sound-series.ts";

/** Rounds of the races; `CARILLON_RACE_ROUNDS` sets more. */
const rounds = Number(process.env["CARILLON_RACE_ROUNDS"] ?? 25);

/** Requests about one series at once. */
const crowd = 20;

const day = 86_400_000;

/** What a race leaves of a series and of the occurrence that is due. */
interface Left {
  readonly status: number;
  /** Sender and text of each message. */
  readonly sent: readonly string[];
  readonly run: string | null;
  /** Days from the due occurrence to the planned one; null for none. */
  readonly planned: number | null;
  /** Whether the author has checked in at the planned occurrence. */
  readonly checkedIn: boolean;
  readonly state: string;
}

/** A request that races with the delivery of an occurrence. */
interface Racer {
  readonly params?: () => Params;
  ask(due: DueSeries): Promise<Answer>;
  /** What is left if the request comes first. */
  readonly first: Left;
  /** What is left if the delivery does. */
  readonly second: Left;
  /** The request waits for no lock of the delivery. */
  readonly waitsForNothing?: boolean;
}

const sentAsPlanned: Left = {
  status: 200,
  sent: ["author: old"],
  run: "sent",
  planned: 1,
  checkedIn: false,
  state: "active",
};

describe("Requests about series that race with the delivery", function () {
  this.timeout(180_000 + 1_000 * rounds);
  const scene = useScene();
  const blocker = useBlocker(scene.db);
  let author: TestAccount;
  let manager: TestAccount;
  let room: TestChannel;
  let topics = 0;

  beforeEach(async () => {
    const { db, org } = scene;
    [author, manager] = [await user(db, org.realm), await user(db, org.realm)];
    room = await channel(db, org.realm, { subscribers: [author, manager] });
  });

  const path = ({ id }: DueSeries, more = "") => `/api/v1/message_series/${id}${more}`;
  const as = (account = author) => scene.as(account);
  const managed = () => ({
    can_manage_group: { direct_members: [manager.id], direct_subgroups: [] },
  });

  const racers: Readonly<Record<string, Racer>> = {
    "an edit of the text": {
      ask: (due) => as().patch(path(due), { content: "new" }),
      first: { ...sentAsPlanned, sent: ["author: new"] },
      second: sentAsPlanned,
    },
    "an edit of the time": {
      ask: (due) => as().patch(path(due), { start: "2020-01-01T23:59" }),
      first: { ...sentAsPlanned, sent: [], run: null, planned: 0 },
      second: sentAsPlanned,
    },
    "an edit of the text by a manager": {
      params: managed,
      ask: (due) => as(manager).patch(path(due), { content: "new" }),
      first: { ...sentAsPlanned, sent: ["manager: new"] },
      second: sentAsPlanned,
    },
    "taking it over": {
      params: managed,
      ask: (due) => as(manager).post(path(due, "/take_over")),
      first: { ...sentAsPlanned, sent: ["manager: old"] },
      second: sentAsPlanned,
    },
    "skipping the next one": {
      ask: (due) => as().post(path(due, "/skip")),
      first: { ...sentAsPlanned, sent: [], run: "skipped" },
      second: { ...sentAsPlanned, planned: 2 },
    },
    "skipping this one": {
      ask: (due) => as().post(path(due, "/skip"), { occurrence: due.date }),
      first: { ...sentAsPlanned, sent: [], run: "skipped" },
      second: { ...sentAsPlanned, status: 400 },
    },
    "a pause": {
      ask: (due) => as().post(path(due, "/pause")),
      first: { ...sentAsPlanned, sent: [], run: null, planned: null, state: "paused" },
      second: { ...sentAsPlanned, planned: null, state: "paused" },
    },
    "the deletion of the series": {
      ask: (due) => as().delete(path(due)),
      first: { ...sentAsPlanned, sent: [], run: null, planned: null, state: "deleted" },
      second: { ...sentAsPlanned, run: null, planned: null, state: "deleted" },
    },
    "an edit of this occurrence": {
      ask: ({ rowId }) => as().patch(`${scheduledMessagesPath}/${rowId}`, { content: "new" }),
      first: { ...sentAsPlanned, sent: ["author: new"] },
      second: { ...sentAsPlanned, status: 400 },
    },
    "the deletion of this occurrence": {
      ask: ({ rowId }) => as().delete(`${scheduledMessagesPath}/${rowId}`),
      first: { ...sentAsPlanned, sent: [], run: "skipped" },
      second: sentAsPlanned,
    },
    "a check-in": {
      params: () => ({ unless: [{ kind: "check_in" }] }),
      ask: ({ rowId }) => as().post(`${scheduledMessagesPath}/${rowId}/check_in`),
      first: { ...sentAsPlanned, sent: [], run: "withheld" },
      second: { ...sentAsPlanned, status: 400 },
    },
    "a check-in at the series": {
      params: () => ({ unless: [{ kind: "check_in" }] }),
      ask: (due) => as().post(path(due, "/check_in")),
      first: { ...sentAsPlanned, sent: [], run: "withheld" },
      second: { ...sentAsPlanned, checkedIn: true },
    },
    "sending it besides": {
      ask: (due) => as().post(path(due, "/send")),
      first: { ...sentAsPlanned, sent: ["author: old", "author: old"] },
      second: { ...sentAsPlanned, sent: ["author: old", "author: old"] },
    },
    "the deactivation of its author": {
      ask: () => scene.as(scene.org.owner).delete(`/api/v1/users/${author.id}`),
      first: { ...sentAsPlanned, sent: [], run: "failed", planned: null, state: "paused" },
      second: sentAsPlanned,
      waitsForNothing: true,
    },
  };

  const create = async ({ params }: Pick<Racer, "params"> = {}) => {
    const topic = `race ${topics++}`;
    const given = dailySeries(room.id, { topic, content: "old", ...params?.() });
    return { topic, ...(await dueSeries(scene.db, as(), given)) };
  };

  /** An account has 100 series at most, and one round deactivates the author. */
  const newPeople = async (round: number) => {
    const { db, org } = scene;
    [author, manager] = [await user(db, org.realm), await user(db, org.realm)];
    // Without statistics, statements read all accounts once for each row.
    if (round % 100 === 99) await db.rows("ANALYZE");
  };

  const leftOf = async (
    { status }: Answer,
    { topic, id, date }: DueSeries & { readonly topic: string },
  ): Promise<Left> => {
    const { db } = scene;
    const sent = await db.rows<{ sender: number; content: string }>(
      "SELECT sender_id AS sender, content FROM messages WHERE recipient_id = $1 AND topic = $2 ORDER BY id",
      [room.recipientId, topic],
    );
    const [found] = await db.rows<{
      state: string | null;
      run: string | null;
      next: string | null;
      checkedIn: boolean;
    }>(
      `SELECT (SELECT state FROM message_series WHERE id = $1) AS state,
         (SELECT outcome FROM series_runs WHERE series_id = $1 AND occurrence = $2::text::date) AS run,
         p.occurrence::text AS next, p.last_check_in IS NOT NULL AS "checkedIn"
       FROM (SELECT) one LEFT JOIN scheduled_messages p
         ON p.series_id = $1 AND NOT p.detached AND NOT p.delivered AND NOT p.failed`,
      [id, date],
    );
    if (!found) throw new Error("the database has answered nothing");
    const { state, run, next, checkedIn } = found;
    const names = new Map([
      [author.id, "author"],
      [manager.id, "manager"],
    ]);
    return {
      status,
      sent: sent.map(({ sender, content }) => `${names.get(sender)}: ${content}`),
      run,
      planned: next ? (Date.parse(next) - Date.parse(date)) / day : null,
      checkedIn,
      state: state ?? "deleted",
    };
  };

  for (const [what, racer] of Object.entries(racers)) {
    if (racer.waitsForNothing) continue;
    for (const order of ["first", "second"] as const)
      it(`leave one state where ${what} comes ${order}`, async () => {
        const { db, org } = scene;
        const due = await create(racer);
        await blocker.lock("SELECT FROM scheduled_messages WHERE id = $1 FOR UPDATE", [due.rowId]);
        const work = [() => racer.ask(due), () => deliver(db, org.realm)] as const;
        const running: Array<Promise<unknown>> = [];
        for (const begin of order === "first" ? work : work.toReversed()) {
          running.push(begin());
          await blocker.untilWaiting(running.length, "it waits for the row");
        }
        await blocker.release();
        await Promise.all(running);
        const answer = (await running[order === "first" ? 0 : 1]) as Answer;
        await deliver(db, org.realm);
        expect(await leftOf(answer, due), answer.text).to.deep.equal(racer[order]);
        await expectSoundSeries(db);
      });
  }

  it("leave the old or the new state, never both, however they meet", async () => {
    const { db, org } = scene;
    const all = Object.entries(racers);
    let asksFirst = 0;
    for (let round = 0; round < rounds; round++) {
      const [what, racer] = nth(all, round % all.length);
      await newPeople(round);
      const due = await create(racer);
      const [answer] = await Promise.all([racer.ask(due), deliver(db, org.realm)]);
      // A changed row may still be due.
      await deliver(db, org.realm);
      const left = await leftOf(answer, due);
      const said = `round ${round}, ${what}: ${answer.text}`;
      expect(left, said).to.be.deep.oneOf([racer.first, racer.second]);
      if (JSON.stringify(left) === JSON.stringify(racer.first)) asksFirst++;
    }
    await expectSoundSeries(db);
    if (rounds >= 300) expect(asksFirst).to.be.within(1, rounds - 1);
  });

  it("keep series sound where several requests and the delivery meet", () =>
    withChance(async (chance) => {
      const { db, org } = scene;
      const all = Object.entries(racers).filter(([, { waitsForNothing }]) => !waitsForNothing);
      for (let round = 0; round < rounds; round++) {
        await newPeople(round);
        const due = await create({
          params: () => ({ ...managed(), unless: [{ kind: "check_in" }] }),
        });
        const chosen = [1, 2, 3].map(() => nth(all, chance.below(all.length)));
        const answers = await Promise.all([
          ...chosen.map(([, racer]) => racer.ask(due)),
          deliver(db, org.realm),
        ]);
        await deliver(db, org.realm);
        const said = chosen.map(([what], i) => `${what}: ${answers[i]?.text}`).join("\n");
        for (const answer of answers)
          expect(answer?.status ?? 200, said).to.be.oneOf([200, 400, 404]);
        const { sent } = await leftOf(answers[0]!, due);
        const besides = chosen.filter(
          ([what], i) => what === "sending it besides" && answers[i]?.status === 200,
        );
        expect(sent.length - besides.length, said).to.be.within(0, 1);
      }
      await expectSoundSeries(db);
    }));

  it(`answer ${crowd} equal requests at once`, async () => {
    const { db } = scene;
    const skipping = await create();
    const skips = await Promise.all(
      Array.from({ length: crowd }, () => as().post(path(skipping, "/skip"))),
    );
    expect(skips.map(({ status }) => status)).to.deep.equal(skips.map(() => 200));
    expect(new Set(skips.map(({ body }) => body["skipped"])).size).to.equal(crowd);
    const deleting = await create();
    const deleted = await Promise.all(
      Array.from({ length: crowd }, () => as().delete(path(deleting))),
    );
    expect(deleted.map(({ status }) => status).toSorted((a, b) => a - b)).to.deep.equal([
      200,
      ...Array.from({ length: crowd - 1 }, () => 404),
    ]);
    await expectSoundSeries(db);
  });
});
