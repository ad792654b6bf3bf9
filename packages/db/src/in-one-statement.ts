import { checkedRows, type Statement } from "./statement.ts";
import type { Sql } from "./sql.ts";

/**
 * Sends several SELECTs as one statement, so that all of them see the same state of the database: under READ COMMITTED
 * each statement sees what had been committed when it began. `ask` must issue all of them before it awaits anything.
 * Rows travel as JSON: numbers, texts, booleans, arrays and JSON arrive unchanged; other types must be cast.
 * @throws Error when `ask` issues a SELECT after the statement was sent
 */
export async function inOneStatement<T>(sql: Sql, ask: (one: Sql) => Promise<T>): Promise<T> {
  const one = new CombinedSelects();
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

/** The rows of each part by its index; null for no rows. */
type Answers = Readonly<Record<number, unknown[] | null>>;

class CombinedSelects implements Sql {
  readonly #parts: Part[] = [];
  #sent = false;

  rows<Row>(statement: Statement<Row>, values: readonly unknown[] = []): Promise<Row[]> {
    return new Promise((resolve, reject) => {
      if (this.#sent)
        return reject(
          new Error("inOneStatement: a SELECT was issued after the statement had been sent"),
        );
      this.#parts.push({
        statement,
        values,
        resolve: (rows) => resolve(checkedRows(statement, rows)),
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

/** By the names of the parts. The combinations are fixed in the code, so there are few. */
const prepared = new Map<string, Statement<Answers>>();

function combined(parts: readonly Statement[]): Statement<Answers> {
  const names = parts.flatMap((part) =>
    typeof part === "string" || part.unprepared ? [] : [part.name],
  );
  const texts = () => parts.map((part) => (typeof part === "string" ? part : part.text));
  if (names.length < parts.length)
    return { name: "combined", text: combine(texts()), unprepared: true };
  const key = names.join("\n");
  let statement = prepared.get(key);
  if (!statement) {
    statement = { name: `combined-${prepared.size + 1}`, text: combine(texts()) };
    prepared.set(key, statement);
  }
  return statement;
}

/** Makes one column for each part: its rows as a JSON array, null for no rows. */
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
