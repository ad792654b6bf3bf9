/** A column of a declared statement: the PostgreSQL types that it may have, and the JavaScript type of its values. */
export class Column<Value> {
  /** Names as in `pg_type.typname`. */
  readonly types: readonly string[];
  readonly nullable: boolean;
  /** Whether the statement rules out a null that its table allows. */
  readonly ruledOut: boolean;
  /** For the compiler only. */
  declare readonly value: Value;

  constructor(types: readonly string[], nullable = false, ruledOut = false) {
    this.types = types;
    this.nullable = nullable;
    this.ruledOut = ruledOut;
  }

  /** Returns the same column, nullable. */
  orNull(): Column<Value | null> {
    return new Column(this.types, true);
  }

  /** Returns the same column, not null because the statement's condition rules out the nulls that its table allows. */
  neverNullHere(): Column<Value> {
    return new Column(this.types, false, true);
  }

  /** Returns the same column with a narrower type of values, such as a few words. */
  as<Narrower extends Value>(): Column<Narrower> {
    return new Column(this.types, this.nullable, this.ruledOut);
  }
}

/** The kinds of columns. There are no arrays of `bigint`: the driver returns their items as texts. */
export const column = {
  int: new Column<number>(["int2", "int4"]),
  /** Ids of messages and events: they stay below 2^53. */
  bigint: new Column<number>(["int8"]),
  float: new Column<number>(["float4", "float8"]),
  bool: new Column<boolean>(["bool"]),
  text: new Column<string>(["text", "varchar"]),
  uuid: new Column<string>(["uuid"]),
  ints: new Column<number[]>(["_int2", "_int4"]),
  texts: new Column<string[]>(["_text", "_varchar"]),
  bytes: new Column<Buffer>(["bytea"]),
  time: new Column<Date>(["timestamptz"]),
  /** The result of a function that returns nothing. */
  nothing: new Column<"">(["void"]),
  /** JSON of a declared shape, which no test compares with what the statement returns. */
  json: <Value>() => new Column<Value>(["json", "jsonb"]),
};

/** Columns by their names. */
export type Columns = Readonly<Record<string, Column<unknown>>>;

/** A row of these columns. */
export type RowOf<C extends Columns> = { readonly [Name in keyof C]: C[Name]["value"] };
