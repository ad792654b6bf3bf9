/** A day, counted from the day on which the series was created. */
type Day = number;

/** The rule of a series: every so many days, at one of two times of the day that have passed already. */
export interface ModelRule {
  readonly interval: number;
  /** How many days there are from the start on, excluded ones too; undefined for no end. */
  readonly count: number | undefined;
  /** The time of the day passed longer ago than an occurrence may be late. */
  readonly late: boolean;
}

/** How an occurrence ended, and the text of its message. */
export type ModelRun = readonly [outcome: string, text: string | null];

/** What must be visible of a series. */
export interface ModelState {
  readonly state: "active" | "paused" | "ended";
  readonly pausedReason: string | null;
  readonly sentCount: number;
  readonly failures: number;
  /** Pending messages by day. */
  readonly pending: ReadonlyArray<readonly [day: Day, detached: boolean, text: string]>;
  readonly runs: ReadonlyArray<readonly [day: Day, ...ModelRun]>;
}

interface DetachedMessage {
  readonly day: Day;
  readonly text: string;
  readonly late: boolean;
  readonly checkedIn: boolean;
}

/** What does not change in a series. */
export interface ModelTraits {
  /** It has an active manager. */
  readonly managed: boolean;
  /** It has a `check_in` condition. */
  readonly watched: boolean;
}

const maxFailures = 5;

/**
 * A series as once-and-again.md §3 describes it, in days instead of instants: each occurrence of today and of earlier days
 * is due.
 */
export class SeriesModel {
  today: Day = 0;
  authorActive = true;
  archived = false;
  text = "text 0";
  readonly #traits: ModelTraits;
  #rule: ModelRule;
  #start: Day = 0;
  #state: ModelState["state"] = "active";
  #reason: string | null = null;
  /** The last day that is over: only later ones are planned. */
  #cursor: Day = -Infinity;
  #planned: Day | undefined;
  /** The author has checked in at the planned occurrence. */
  #checkedIn = false;
  #sent = 0;
  #failures = 0;
  readonly #excluded = new Set<Day>();
  readonly #runs = new Map<Day, ModelRun>();
  #detached: DetachedMessage[] = [];

  constructor(rule: ModelRule, traits: ModelTraits) {
    this.#rule = rule;
    this.#traits = traits;
    this.#plan(this.today);
  }

  get planned(): Day | undefined {
    return this.#planned;
  }

  get detached(): ReadonlyArray<Pick<DetachedMessage, "day">> {
    return this.#detached;
  }

  get state(): ModelState {
    const byDay = (a: readonly [Day, ...unknown[]], b: readonly [Day, ...unknown[]]) => a[0] - b[0];
    return {
      state: this.#state,
      pausedReason: this.#reason,
      sentCount: this.#sent,
      failures: this.#failures,
      pending: [
        ...this.#detached.map(({ day, text }) => [day, true, text] as const),
        ...(this.#planned === undefined ? [] : [[this.#planned, false, this.text] as const]),
      ].toSorted(byDay),
      runs: [...this.#runs].map(([day, run]) => [day, ...run] as const).toSorted(byDay),
    };
  }

  /** @returns whether the edit is accepted, here and below */
  editText(text: string): boolean {
    if (!this.authorActive || this.archived) return false;
    this.text = text;
    this.#replan();
    return true;
  }

  editRule(rule: ModelRule): boolean {
    return this.#editSchedule(rule, this.today, this.#excluded);
  }

  removeExclusions(): boolean {
    if (!this.#editSchedule(this.#rule, this.#start, new Set())) return false;
    for (const [day, [outcome]] of this.#runs)
      if (outcome === "skipped" && day > this.#cursor) this.#runs.delete(day);
    return true;
  }

  skip(): boolean {
    if (!this.authorActive) return false;
    const day = this.#planned ?? this.#next(this.today);
    if (day === undefined) return false;
    this.#excluded.add(day);
    this.#record(day, "skipped");
    if (this.#planned !== undefined) this.#planAnother(Math.min(this.today, day - 1));
    return true;
  }

  checkIn(): boolean {
    if (!this.authorActive || !this.#traits.watched || this.#planned === undefined) return false;
    this.#checkedIn = true;
    return true;
  }

  pause(): boolean {
    if (!this.authorActive) return false;
    if (this.#state === "active") this.#pause("manual");
    return true;
  }

  resume(): boolean {
    if (!this.authorActive || this.#state === "ended") return false;
    if (this.#state === "active") return true;
    this.#failures = 0;
    this.#plan(this.today);
    return true;
  }

  /** Changes the planned occurrence by itself. */
  detach(text: string): boolean {
    const day = this.#planned;
    if (!this.authorActive || this.archived || day === undefined) return false;
    this.#detached.push({ day, text, late: this.#rule.late, checkedIn: this.#checkedIn });
    this.#cursor = day;
    this.#planAnother(Math.min(this.today, day - 1));
    return true;
  }

  deleteDetached(): boolean {
    const [first] = this.#detached;
    if (!this.authorActive || !first) return false;
    this.#detached = this.#detached.slice(1);
    this.#record(first.day, "skipped");
    return true;
  }

  deactivate(): void {
    this.authorActive = false;
  }

  reactivate(): void {
    this.authorActive = true;
    if (this.#reason === "author_deactivated") this.#plan(this.today);
  }

  deliver(): void {
    for (const row of this.#detached.filter(({ day }) => day <= this.today))
      this.#deliverDetached(row);
    this.#detached = this.#detached.filter(({ day }) => day > this.today);
    while (this.#planned !== undefined && this.#planned <= this.today)
      this.#deliverPlanned(this.#planned);
  }

  #deliverDetached({ day, text, late, checkedIn }: DetachedMessage): void {
    if (!this.authorActive) this.#record(day, "failed");
    else if (checkedIn) this.#record(day, "withheld");
    else if (late || day < this.today) this.#record(day, "missed");
    else if (this.archived) this.#record(day, "failed");
    else this.#send(day, text);
  }

  #deliverPlanned(day: Day): void {
    const later = this.#days().filter((other) => other > day && other <= this.today);
    this.#cursor = day;
    if (!this.authorActive && !this.#traits.managed) {
      this.#record(day, "failed");
      this.#pause("author_deactivated");
      return;
    }
    if (this.#checkedIn) {
      this.#record(day, "withheld");
      return this.#planAnother(day);
    }
    if (later.length > 0) {
      // Only the latest one may be sent, unless it is too late, too.
      const due = [day, ...later];
      const missed = this.#isTooLate(due.at(-1) ?? day) ? due : due.slice(0, -1);
      for (const one of missed) this.#record(one, "missed");
      this.#cursor = missed.at(-1) ?? day;
      return this.#planAnother(this.#cursor);
    }
    if (this.#isTooLate(day)) this.#record(day, "missed");
    else if (this.archived) {
      this.#record(day, "failed");
      if (++this.#failures >= maxFailures) return this.#pause("failures");
    } else {
      this.#send(day, this.text);
      this.#failures = 0;
    }
    this.#planAnother(day);
  }

  #isTooLate(day: Day): boolean {
    return this.#rule.late || day < this.today;
  }

  #send(day: Day, text: string): void {
    this.#record(day, "sent", text);
    this.#sent++;
  }

  #record(day: Day, outcome: string, text: string | null = null): void {
    if (this.#runs.get(day)?.[0] !== "sent") this.#runs.set(day, [outcome, text]);
  }

  #editSchedule(rule: ModelRule, start: Day, excluded: ReadonlySet<Day>): boolean {
    if (!this.authorActive) return false;
    const days = daysOf(rule, start).filter((day) => !excluded.has(day));
    if (!days.some((day) => day > this.today)) return false;
    const due = this.#planned;
    // A time that was earlier than the planned one has passed.
    const earlier = rule.late && !this.#rule.late;
    this.#rule = rule;
    this.#start = start;
    if (excluded.size === 0) this.#excluded.clear();
    if (this.#state === "paused") return true;
    this.#plan(due === undefined ? this.today : Math.min(this.today, due - (earlier ? 0 : 1)));
    return true;
  }

  #replan(): void {
    if (this.#state === "paused") return;
    this.#plan(this.#planned === undefined ? this.today : Math.min(this.today, this.#planned - 1));
  }

  /** Plans an occurrence in a row of its own, at which nobody has checked in. */
  #planAnother(after: Day): void {
    this.#planned = undefined;
    this.#plan(after);
  }

  /** Plans an occurrence in the row of the planned one, if there is one. */
  #plan(after: Day): void {
    if (this.#planned === undefined) this.#checkedIn = false;
    this.#planned = this.#next(after);
    this.#state = this.#planned === undefined ? "ended" : "active";
    this.#reason = null;
  }

  #pause(reason: string): void {
    this.#planned = undefined;
    this.#state = "paused";
    this.#reason = reason;
  }

  #next(after: Day): Day | undefined {
    return this.#days().find((day) => day > after && day > this.#cursor);
  }

  #days(): Day[] {
    return daysOf(this.#rule, this.#start).filter((day) => !this.#excluded.has(day));
  }
}

/** More days than a test travels. */
const horizon = 500;

function daysOf({ interval, count = Infinity }: ModelRule, start: Day): Day[] {
  return Array.from(
    { length: Math.min(count, Math.ceil(horizon / interval)) },
    (_, index) => start + index * interval,
  );
}
