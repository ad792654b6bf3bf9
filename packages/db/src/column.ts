/** A column of a declared statement: which of PostgreSQL's types it may have, and what the driver makes of them. */
export class Column<Value> {
  /** As `pg_type.typname` has them. */
  readonly types: readonly string[];
  readonly nullable: boolean;
  /** Whether the statement rules out a null that its table allows. */
  readonly ruledOut: boolean;
  /** Never there: it carries the type. */
  declare readonly value: Value;

  constructor(types: readonly string[], nullable = false, ruledOut = false) {
    this.types = types;
    this.nullable = nullable;
    this.ruledOut = ruledOut;
  }

  /** The same column where it may be null. */
  orNull(): Column<Value | null> {
    return new Column(this.types, true);
  }

  /** The same column where the statement's condition rules out the null that its table allows. */
  neverNullHere(): Column<Value> {
    return new Column(this.types, false, true);
  }

  /** The same column where what it holds is known better than its type says: one of a few words, say. */
  as<Narrower extends Value>(): Column<Narrower> {
    return new Column(this.types, this.nullable, this.ruledOut);
  }
}

/** The kinds of columns, as they arrive here. Arrays of `bigint` are none: the driver leaves their items as texts. */
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
  /** What a function without a result leaves. */
  nothing: new Column<"">(["void"]),
  /** JSON, whose shape nobody compares with what the statement makes: it stands beside its text. */
  json: <Value>() => new Column<Value>(["json", "jsonb"]),
};

/** Columns by their names. */
export type Columns = Readonly<Record<string, Column<unknown>>>;

/** A row of these columns. */
export type RowOf<C extends Columns> = { readonly [Name in keyof C]: C[Name]["value"] };
