import {
  createBenchDatabase,
  openBenchDatabase,
  renameBenchDatabase,
  type BenchDatabase,
} from "../servers.ts";
import { createHistory, type History, type HistorySize } from "./history.ts";

/** A database with an organization's history. */
export interface HistoryDatabase {
  readonly database: BenchDatabase;
  readonly history: History;
}

/**
 * Returns a database with a history of that size. Reuses the database of an earlier bench on the same server, or
 * creates one and keeps it for later benches. A bench that changes the database must restore it.
 */
export async function historyDatabase(size: HistorySize): Promise<HistoryDatabase> {
  const { messages, users = 0, channels = 0, seed = 0 } = size;
  const name = `carillon_bench_history_${messages}_${users}_${channels}_${seed}`;
  const database = (await openBenchDatabase(name)) ?? (await create(size, name));
  const [row] = await database.db.rows<{ history: History }>("SELECT history FROM bench_history");
  if (!row) throw new Error(`the database ${name} contains no history`);
  return { database, history: row.history };
}

/** Creates a database with a history. Names it last, so that only a complete database has the name. */
async function create(size: HistorySize, name: string): Promise<BenchDatabase> {
  const made = await createBenchDatabase("postgres");
  const history = await createHistory(made.db, size);
  await made.db.rows("CREATE TABLE bench_history AS SELECT $1::json AS history", [
    JSON.stringify(history),
  ]);
  await renameBenchDatabase(made, name);
  const database = await openBenchDatabase(name);
  if (!database) throw new Error(`the database ${name} does not exist`);
  return database;
}
