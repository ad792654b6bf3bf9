import pg from "pg";

/** A column of a statement's rows, as PostgreSQL describes it. */
export interface DescribedColumn {
  readonly name: string;
  /** As in `pg_type.typname`. */
  readonly type: string;
  /** Undefined for an expression: PostgreSQL does not know it. */
  readonly nullable: boolean | undefined;
}

/**
 * Lets PostgreSQL parse and describe a statement without running it. A table column is nullable if it is declared so, or if
 * it comes from the optional side of an outer join.
 */
export async function describeStatement(
  client: pg.Client,
  text: string,
): Promise<DescribedColumn[]> {
  const fields = await describe(client, text);
  const { rows } = await client.query<{ type: string; notNull: boolean | null }>(
    `SELECT t.typname AS type, a.attnotnull AS "notNull"
     FROM unnest($1::oid[], $2::oid[], $3::int[]) WITH ORDINALITY AS f (type, tab, col, ord)
       JOIN pg_type t ON t.oid = f.type
       LEFT JOIN pg_attribute a ON a.attrelid = f.tab AND a.attnum = f.col AND f.tab <> 0
     ORDER BY f.ord`,
    [
      fields.map(({ dataTypeID }) => dataTypeID),
      fields.map(({ tableID }) => tableID),
      fields.map(({ columnID }) => columnID),
    ],
  );
  const missing = fields.length > 0 ? await outerJoined(client, text) : [];
  return fields.map(({ name }, i) => {
    const { type = "", notNull = null } = rows[i] ?? {};
    return { name, type, nullable: missing[i] ? true : notNull === null ? undefined : !notNull };
  });
}

/** Sends Parse and Describe of the extended protocol, without Execute. */
class Describe {
  readonly fields: Promise<pg.FieldDef[]>;
  readonly #text: string;
  #found: pg.FieldDef[] = [];
  #resolve!: (fields: pg.FieldDef[]) => void;
  #reject!: (error: Error) => void;

  constructor(text: string) {
    this.#text = text;
    this.fields = new Promise((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
    });
  }

  submit(connection: pg.Connection): void {
    connection.parse({ name: "", text: this.#text, types: [] }, true);
    connection.describe({ type: "S", name: "" }, true);
    connection.sync();
  }

  handleRowDescription({ fields }: { fields: pg.FieldDef[] }): void {
    this.#found = fields;
  }

  handleError(error: Error): void {
    this.#reject(error);
  }

  handleReadyForQuery(): void {
    this.#resolve(this.#found);
  }
}

async function describe(client: pg.Client, text: string): Promise<pg.FieldDef[]> {
  return client.query(new Describe(text)).fields;
}

interface Plan {
  readonly Output?: readonly string[];
  readonly Plans?: readonly Plan[];
  readonly "Join Type"?: string;
  readonly "Parent Relationship"?: string;
}

/** Returns for each column whether it comes from the optional side of an outer join. */
async function outerJoined(client: pg.Client, text: string): Promise<boolean[]> {
  const { rows } = await client.query<{ "QUERY PLAN": [{ Plan: Plan }] }>(
    `EXPLAIN (VERBOSE, GENERIC_PLAN, FORMAT JSON) ${text}`,
  );
  const plan = rows[0]?.["QUERY PLAN"][0].Plan;
  if (!plan) throw new Error(`there is no plan of ${text}`);
  const optional = new Set(optionalOutputs(plan));
  return (plan.Output ?? []).map((output) => optional.has(output));
}

const optionalSides: Readonly<Record<string, readonly string[]>> = {
  Left: ["Inner"],
  Right: ["Outer"],
  Full: ["Inner", "Outer"],
};

function optionalOutputs(plan: Plan): string[] {
  const sides = optionalSides[plan["Join Type"] ?? ""] ?? [];
  return (plan.Plans ?? []).flatMap((below) => [
    ...optionalOutputs(below),
    ...(sides.includes(below["Parent Relationship"] ?? "") ? (below.Output ?? []) : []),
  ]);
}
