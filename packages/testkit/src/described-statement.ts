import pg from "pg";
import { nullFacts, type Plan } from "./null-analysis.ts";

/** A column of a statement's rows, as PostgreSQL describes it. */
export interface DescribedColumn {
  readonly name: string;
  /** As in `pg_type.typname`. */
  readonly type: string;
  /** False if the table or the plan rules out null; otherwise true, even for an expression that is never null. */
  readonly nullable: boolean;
}

/** Lets PostgreSQL parse and describe a statement without running it. */
export async function describeStatement(
  client: pg.Client,
  text: string,
): Promise<DescribedColumn[]> {
  const fields = await client.query(new Describe(text)).fields;
  if (fields.length === 0) return [];
  const { types, tables } = await catalogOf(client);
  const facts = nullFacts(await explain(client, text), (column) => tables.names.has(column));
  return fields.map(({ name, dataTypeID, tableID, columnID }, i) => {
    const type = types.get(dataTypeID) ?? "";
    const isNotNull =
      type === "void" ||
      (facts[i] !== "optional" &&
        (facts[i] === "never null" || tables.numbers.has(`${tableID}.${columnID}`)));
    return { name, type, nullable: !isNotNull };
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

interface Catalog {
  /** Names of types by their ids. */
  readonly types: ReadonlyMap<number, string>;
  /** Columns that are NOT NULL: `schema.table.column`, and the ids of table and column. */
  readonly tables: { readonly names: ReadonlySet<string>; readonly numbers: ReadonlySet<string> };
}

const catalogs = new WeakMap<pg.Client, Promise<Catalog>>();

function catalogOf(client: pg.Client): Promise<Catalog> {
  const known = catalogs.get(client);
  if (known) return known;
  const made = readCatalog(client);
  catalogs.set(client, made);
  return made;
}

async function readCatalog(client: pg.Client): Promise<Catalog> {
  const types = await client.query<{ oid: number; typname: string }>(
    "SELECT oid, typname FROM pg_type",
  );
  const columns = await client.query<{ name: string; number: string }>(
    `SELECT format('%I.%I.%I', n.nspname, c.relname, a.attname) AS name, c.oid || '.' || a.attnum AS number
     FROM pg_attribute a JOIN pg_class c ON c.oid = a.attrelid JOIN pg_namespace n ON n.oid = c.relnamespace
     WHERE a.attnotnull`,
  );
  return {
    types: new Map(types.rows.map(({ oid, typname }) => [oid, typname])),
    tables: {
      names: new Set(columns.rows.map(({ name }) => name)),
      numbers: new Set(columns.rows.map(({ number }) => number)),
    },
  };
}

async function explain(client: pg.Client, text: string): Promise<Plan> {
  const { rows } = await client.query<{ "QUERY PLAN": [{ Plan: Plan }] }>(
    `EXPLAIN (VERBOSE, GENERIC_PLAN, FORMAT JSON) ${text}`,
  );
  const plan = rows[0]?.["QUERY PLAN"][0].Plan;
  if (!plan) throw new Error(`there is no plan of ${text}`);
  return plan;
}
