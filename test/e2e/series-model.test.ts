import { deactivateUser, reactivateUser } from "@carillon/contract";
import {
  changeChannel,
  channel,
  createdSeries,
  deliver,
  holds,
  nth,
  scheduledMessagesPath,
  type TestAccount,
  type TestChannel,
  user,
  useScene,
} from "@carillon/testkit";
import { expect } from "chai";
import fc from "fast-check";
import {
  type ModelRule,
  SeriesModel,
  type ModelState,
  type ModelTraits,
} from "./support/series-model.ts";

type Step =
  | { readonly kind: "deliver" | "editText" | "skip" | "pause" | "resume" | "detach" }
  | { readonly kind: "deleteDetached" | "removeExclusions" | "checkIn" }
  | { readonly kind: "deactivate" | "reactivate" | "archive" | "unarchive" }
  | { readonly kind: "travel"; readonly days: number }
  | { readonly kind: "editRule"; readonly rule: ModelRule };

/** Minutes since an occurrence of today was due: within the 10 that it may be late, and not. */
const minutesAgo = { onTime: 1, late: 180 };

const rules = fc.record<ModelRule>({
  interval: fc.integer({ min: 1, max: 3 }),
  count: fc.option(fc.integer({ min: 1, max: 6 }), { nil: undefined, freq: 2 }),
  late: fc.oneof({ weight: 4, arbitrary: fc.constant(false) }, fc.boolean()),
});

const traits = fc.record<ModelTraits>({ managed: fc.boolean(), watched: fc.boolean() });

const kinds = (...of: ReadonlyArray<Exclude<Step["kind"], "travel" | "editRule">>) =>
  fc.constantFrom(...of).map((kind): Step => ({ kind }));

const steps = fc.array(
  fc.oneof(
    { weight: 5, arbitrary: kinds("deliver") },
    {
      weight: 5,
      arbitrary: fc.integer({ min: 1, max: 4 }).map((days): Step => ({ kind: "travel", days })),
    },
    {
      weight: 6,
      arbitrary: kinds("editText", "skip", "detach", "deleteDetached", "pause", "resume"),
    },
    { weight: 2, arbitrary: kinds("archive", "unarchive", "unarchive", "removeExclusions") },
    { weight: 2, arbitrary: kinds("deactivate", "reactivate") },
    { weight: 2, arbitrary: kinds("checkIn") },
    { weight: 1, arbitrary: rules.map((rule): Step => ({ kind: "editRule", rule })) },
  ),
  { minLength: 4, maxLength: 20 },
);

describe("A series, whatever is done with it", function () {
  this.timeout(600_000);
  const scene = useScene();

  it("is in the state of a simple model", () =>
    holds(
      fc.asyncProperty(rules, traits, steps, async (rule, of, all) => {
        fc.pre(rule.count === undefined || rule.count > 1);
        const walk = await SeriesWalk.begin(scene, rule, of);
        for (const [index, step] of all.entries()) {
          await walk.take(step);
          const found = await walk.state();
          const both = [found, walk.model.state].map((state) => JSON.stringify(state)).join("\n");
          expect(found, `after step ${index + 1}:\n${both}\n`).to.deep.equal(walk.model.state);
        }
      }),
      1 / 20,
    ));
});

/** A series in the database, beside its model. */
class SeriesWalk {
  readonly model: SeriesModel;
  readonly #scene: ReturnType<typeof useScene>;
  readonly #room: TestChannel;
  readonly #author: TestAccount;
  /** Days that have passed. */
  #travelled = 0;
  #texts = 0;
  #id = 0;

  private constructor(
    scene: ReturnType<typeof useScene>,
    [room, author]: readonly [TestChannel, TestAccount],
    model: SeriesModel,
  ) {
    this.#scene = scene;
    this.#room = room;
    this.#author = author;
    this.model = model;
  }

  static async begin(
    scene: ReturnType<typeof useScene>,
    rule: ModelRule,
    of: ModelTraits,
  ): Promise<SeriesWalk> {
    const { db, org } = scene;
    const author = await user(db, org.realm);
    const manager = await user(db, org.realm);
    const room = await channel(db, org.realm, { subscribers: [author] });
    const walk = new SeriesWalk(scene, [room, author], new SeriesModel(rule, of));
    walk.#id = await createdSeries(scene.as(author), {
      type: "channel",
      to: room.id,
      topic: "walk",
      content: walk.model.text,
      ...scheduleOf(rule),
      ...(of.managed
        ? { can_manage_group: { direct_members: [manager.id], direct_subgroups: [] } }
        : {}),
      ...(of.watched ? { unless: [{ kind: "check_in" }] } : {}),
    });
    return walk;
  }

  async take(step: Step): Promise<void> {
    const { db, org } = this.#scene;
    const { model } = this;
    const author = this.#scene.as(this.#author);
    const path = `/api/v1/message_series/${this.#id}`;
    const account = { path: { user_id: this.#author.id } };
    switch (step.kind) {
      case "deliver":
        await deliver(db, org.realm);
        return model.deliver();
      case "travel":
        await this.#travel(step.days);
        return;
      case "editText": {
        const content = this.#newText();
        return this.#alike(author.patch(path, { content }), model.editText(content));
      }
      case "editRule":
        return this.#alike(author.patch(path, scheduleOf(step.rule)), model.editRule(step.rule));
      case "removeExclusions":
        return this.#alike(author.patch(path, { excluded_dates: [] }), model.removeExclusions());
      case "skip":
        return this.#alike(author.post(`${path}/skip`), model.skip());
      case "pause":
        return this.#alike(author.post(`${path}/pause`), model.pause());
      case "resume":
        return this.#alike(author.post(`${path}/resume`), model.resume());
      case "checkIn":
        return this.#alike(author.post(`${path}/check_in`), model.checkIn());
      case "detach": {
        if (model.planned === undefined) return;
        const row = await this.#rowOf(model.planned);
        const content = this.#newText();
        return this.#alike(author.patch(row, { content }), model.detach(content));
      }
      case "deleteDetached": {
        const [first] = model.detached;
        if (!first) return;
        return this.#alike(author.delete(await this.#rowOf(first.day)), model.deleteDetached());
      }
      case "deactivate":
        await this.#scene.as(org.owner).call(deactivateUser, account);
        return model.deactivate();
      case "reactivate":
        await this.#scene.as(org.owner).call(reactivateUser, account);
        return model.reactivate();
      case "archive":
      case "unarchive":
        model.archived = step.kind === "archive";
        return changeChannel(db, this.#room, { isArchived: model.archived });
    }
  }

  /** What is stored of the series, with days counted from its creation. */
  async state(): Promise<ModelState> {
    const { db } = this.#scene;
    const day = (date: string) => `(${date} - ${today})::int + $2::int`;
    const [series] = await db.rows<Omit<ModelState, "pending" | "runs">>(
      `SELECT state, paused_reason AS "pausedReason", sent_count AS "sentCount", consecutive_failures AS failures
       FROM message_series WHERE id = $1`,
      [this.#id],
    );
    const pending = await db.rows<{ day: number; detached: boolean; content: string }>(
      `SELECT ${day("s.occurrence")} AS day, s.detached, s.content FROM scheduled_messages s
       WHERE s.series_id = $1 AND NOT s.delivered AND NOT s.failed ORDER BY day`,
      [this.#id, this.#travelled],
    );
    const runs = await db.rows<{ day: number; outcome: string; content: string | null }>(
      `SELECT ${day("r.occurrence")} AS day, r.outcome, split_part(m.content, E'\\n', 1) AS content
       FROM series_runs r LEFT JOIN messages m ON m.id = r.message_id WHERE r.series_id = $1 ORDER BY day`,
      [this.#id, this.#travelled],
    );
    const [{ messages } = { messages: 0 }] = await db.rows<{ messages: number }>(
      "SELECT count(*)::int AS messages FROM messages WHERE recipient_id = $1",
      [this.#room.recipientId],
    );
    if (!series) throw new Error(`the series ${this.#id} is gone`);
    expect(messages, "no message without a run").to.equal(series.sentCount);
    return {
      ...series,
      pending: pending.map((row) => [row.day, row.detached, row.content] as const),
      runs: runs.map((run) => [run.day, run.outcome, run.content] as const),
    };
  }

  /** Moves all of the series into the past, as if so many days had passed. */
  async #travel(days: number): Promise<void> {
    const { db } = this.#scene;
    this.#travelled += days;
    this.model.today += days;
    const moves = [
      `UPDATE message_series SET last_occurrence = last_occurrence - $2::int,
         start = to_char(start::timestamp - make_interval(days => $2), 'YYYY-MM-DD"T"HH24:MI:SS'),
         excluded_dates = ARRAY(SELECT (date::date - $2::int)::text FROM unnest(excluded_dates) AS date)
       WHERE id = $1`,
      `UPDATE scheduled_messages SET occurrence = occurrence - $2::int, deliver_at = deliver_at - make_interval(days => $2)
       WHERE series_id = $1`,
      // Twice, because two days must not meet in between.
      "UPDATE series_runs SET occurrence = occurrence + 10000 - $2::int WHERE series_id = $1",
      "UPDATE series_runs SET occurrence = occurrence - 10000 WHERE series_id = $1 AND $2 > 0",
    ];
    for (const move of moves) await db.rows(move, [this.#id, days]);
  }

  #newText(): string {
    return `text ${++this.#texts}`;
  }

  async #rowOf(day: number): Promise<string> {
    const rows = await this.#scene.db.rows<{ id: number }>(
      `SELECT id::int FROM scheduled_messages s WHERE series_id = $1 AND NOT delivered AND NOT failed
         AND (occurrence - ${today})::int + $2::int = $3`,
      [this.#id, this.#travelled, day],
    );
    return `${scheduledMessagesPath}/${nth(rows, 0).id}`;
  }

  async #alike(
    answer: Promise<{ readonly status: number; readonly text: string }>,
    accepted: boolean,
  ) {
    const { status, text } = await answer;
    const wanted = accepted ? [200] : this.model.authorActive ? [400] : [401];
    expect(status, text).to.be.oneOf(wanted);
  }
}

/** The zone in which it is about noon, so that no date changes while the test runs. */
const ahead = 12 - new Date().getUTCHours();
const today = `(now() AT TIME ZONE 'UTC' + interval '${ahead} hours')::date`;

function scheduleOf({ interval, count, late }: ModelRule) {
  const time = Date.now() + ahead * 3_600_000 - minutesAgo[late ? "late" : "onTime"] * 60_000;
  return {
    start: new Date(time).toISOString().slice(0, 19),
    // The sign of these zones is the other way round.
    timezone: `Etc/GMT${ahead > 0 ? "-" : "+"}${Math.abs(ahead)}`,
    rrule: `FREQ=DAILY;INTERVAL=${interval}${count ? `;COUNT=${count}` : ""}`,
  };
}
