import type { Database } from "@carillon/db";
import { eventPresenter } from "@carillon/domain";
import { queueStatements } from "@carillon/events";
import {
  createBouncerDatabase,
  createTestDatabase,
  type DescribedColumn,
  describeRows,
  rowsFile,
  testSite,
  writeRows,
} from "@carillon/testkit";
import pg from "pg";
import { everyStatement, type FoundStatement } from "./every-statement.ts";

/** The bouncer has its own database; the names of its statements begin with `bouncer`. */
export function isOfBouncer(name: string): boolean {
  return name.startsWith("bouncer-");
}

/**
 * Has PostgreSQL describe every declared statement.
 * @returns what the files with the types of their rows must say, by path from the root
 */
export async function describedRows(): Promise<Map<string, string>> {
  const chat = await createTestDatabase();
  const bouncer = await createBouncerDatabase();
  try {
    const found = [...(await everyStatement()), ...ofPolls(await chat.connect())];
    const rows = new Map([
      ...(await described(
        chat.url,
        found.filter(({ statement }) => !isOfBouncer(statement.name)),
      )),
      ...(await described(
        bouncer.url,
        found.filter(({ statement }) => isOfBouncer(statement.name)),
      )),
    ]);
    const workspaces = new Set(found.map(({ workspace }) => workspace));
    return new Map(
      [...workspaces].map((workspace) => {
        const own = found.filter((each) => each.workspace === workspace);
        const columns = own.map(({ statement: { name } }): [string, DescribedColumn[]] => [
          name,
          rows.get(name) ?? [],
        ]);
        return [`${workspace}/${rowsFile}`, writeRows(new Map(columns))];
      }),
    );
  } finally {
    await chat.drop();
    await bouncer.drop();
  }
}

/** The statements of polls, which the gateway composes of what the domain says of accounts. */
function ofPolls(db: Database): FoundStatement[] {
  const { accounts } = eventPresenter(db, testSite());
  return Object.values(queueStatements(accounts)).map((statement) => ({
    statement,
    workspace: "packages/events",
  }));
}

async function described(
  url: string,
  found: readonly FoundStatement[],
): Promise<Map<string, DescribedColumn[]>> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return await describeRows(
      client,
      found.map(({ statement }) => statement),
    );
  } finally {
    await client.end();
  }
}
