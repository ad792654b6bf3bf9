/** Why a row cannot be carried over. */
export class RowProblem extends Error {}

/** A row of an export of Zulip. Its members are read by type. */
export class Row {
  readonly #members: Readonly<Record<string, unknown>>;

  /** @throws RowProblem when the value is no object */
  constructor(value: unknown) {
    if (typeof value !== "object" || value === null || Array.isArray(value))
      throw new RowProblem("is no row");
    this.#members = value as Readonly<Record<string, unknown>>;
  }

  get id(): number {
    return this.number("id");
  }

  /** @throws RowProblem */
  number(name: string): number {
    const value = this.#members[name];
    if (typeof value === "number" && Number.isSafeInteger(value) && value >= 0) return value;
    throw new RowProblem(`${name} is not a whole number`);
  }

  /** Returns a number; undefined if there is none. */
  maybeNumber(name: string): number | undefined {
    const value = this.#members[name];
    return typeof value === "number" && Number.isSafeInteger(value) ? value : undefined;
  }

  /** @throws RowProblem */
  text(name: string): string {
    const value = this.#members[name];
    if (typeof value === "string") return value;
    throw new RowProblem(`${name} is not a text`);
  }

  maybeText(name: string): string | undefined {
    const value = this.#members[name];
    return typeof value === "string" ? value : undefined;
  }

  flag(name: string): boolean {
    return this.#members[name] === true;
  }

  maybeFlag(name: string): boolean | undefined {
    const value = this.#members[name];
    return typeof value === "boolean" ? value : undefined;
  }

  /** Returns a time, which exports have in seconds since 1970, as ISO 8601 with microseconds. */
  maybeTime(name: string): string | undefined {
    const value = this.#members[name];
    if (typeof value !== "number") return undefined;
    const micros = Math.round(value * 1_000_000);
    const date = new Date(Math.floor(micros / 1000));
    if (
      Number.isNaN(date.getTime()) ||
      date.getUTCFullYear() > 9999 ||
      date.getUTCFullYear() < 1970
    )
      return undefined;
    const rest = String(((micros % 1000) + 1000) % 1000).padStart(3, "0");
    return `${date.toISOString().slice(0, -1)}${rest}Z`;
  }

  /** @throws RowProblem */
  time(name: string): string {
    const time = this.maybeTime(name);
    if (time === undefined) throw new RowProblem(`${name} is not a time`);
    return time;
  }

  numbers(name: string): readonly number[] {
    const value = this.#members[name];
    return Array.isArray(value)
      ? value.filter((one): one is number => Number.isSafeInteger(one))
      : [];
  }

  /** Returns a member as it is. */
  value(name: string): unknown {
    return this.#members[name];
  }
}

/** Returns an object without members that are undefined. */
export function defined<Members extends object>(
  members: Members,
): {
  [Name in keyof Members]: Exclude<Members[Name], undefined>;
} {
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined)) as {
    [Name in keyof Members]: Exclude<Members[Name], undefined>;
  };
}
