import { arrived, type Statement } from "./statement.ts";
import type { Sql } from "./sql.ts";

/**
 * Asks several SELECTs in one statement, so that all of them see the same state of the database: under READ COMMITTED
 * each statement sees what had been committed when it began. `ask` asks them of the `Sql` that it is given, all of them
 * before it waits for anything. Rows come by way of JSON: numbers, texts, truth values, arrays and JSON arrive as they
 * do otherwise; other types have to be cast.
 * @throws Error when something is asked after the others have gone out
 */
export async function together<T>(sql: Sql, ask: (one: Sql) => Promise<T>): Promise<T> {
  const one = new Gathered();
  const answer = ask(one);
  const [result] = await Promise.all([answer, one.send(sql)]);
  return result;
}

interface Part {
  readonly statement: Statement;
  readonly values: readonly unknown[];
  readonly resolve: (rows: unknown[]) => void;
  readonly reject: (error: unknown) => void;
}

/** The rows of each part by its place, null where it has none. */
type Answers = Readonly<Record<number, unknown[] | null>>;

class Gathered implements Sql {
  readonly #parts: Part[] = [];
  #sent = false;

  rows<Row>(statement: Statement<Row>, values: readonly unknown[] = []): Promise<Row[]> {
    return new Promise((resolve, reject) => {
      if (this.#sent) return reject(new Error("what is asked together must be asked at once"));
      this.#parts.push({
        statement,
        values,
        resolve: (rows) => resolve(arrived(statement, rows)),
        reject,
      });
    });
  }

  async send(sql: Sql): Promise<void> {
    this.#sent = true;
    const parts = this.#parts;
    if (parts.length === 0) return;
    try {
      const [row] = await sql.rows(
        combined(parts.map(({ statement }) => statement)),
        parts.flatMap(({ values }) => values),
      );
      for (const [i, { resolve }] of parts.entries()) resolve(row?.[i] ?? []);
    } catch (error) {
      for (const { reject } of parts) reject(error);
    }
  }
}

/** By the names of the parts: which of them come together is written in the code, so that there are few. */
const prepared = new Map<string, Statement<Answers>>();

function combined(parts: readonly Statement[]): Statement<Answers> {
  const names = parts.flatMap((part) =>
    typeof part === "string" || part.unprepared ? [] : [part.name],
  );
  const texts = () => parts.map((part) => (typeof part === "string" ? part : part.text));
  if (names.length < parts.length)
    return { name: "together", text: combine(texts()), unprepared: true };
  const key = names.join("\n");
  let statement = prepared.get(key);
  if (!statement) {
    statement = { name: `together-${prepared.size + 1}`, text: combine(texts()) };
    prepared.set(key, statement);
  }
  return statement;
}

/** One column a part: its rows as a JSON array, null without any. */
function combine(texts: readonly string[]): string {
  let used = 0;
  const columns = texts.map((text, i) => {
    const before = used;
    const numbered = text.replaceAll(/\$(\d+)/g, (_, n: string) => {
      used = Math.max(used, before + Number(n));
      return `$${before + Number(n)}`;
    });
    return `(SELECT json_agg(part) FROM (${numbered}) part) AS "${i}"`;
  });
  return `SELECT ${columns.join(",\n")}`;
}
