import { jsonItems } from "../archives/json-items.ts";
import type { SourceArchive } from "../archives/source-archive.ts";
import type { ConversionReport } from "../conversion-report.ts";
import { TransferError } from "../transfer-error.ts";
import { Row, RowProblem } from "./row.ts";

/** Tables of `realm.json` that are kept in memory: their size is that of the organization, not of its history. */
const kept = new Set([
  "zerver_realm",
  "zerver_userprofile",
  "zerver_userprofile_mirrordummy",
  "zerver_userprofile_crossrealm",
  "zerver_usergroup",
  "zerver_namedusergroup",
  "zerver_usergroupmembership",
  "zerver_groupgroupmembership",
  "zerver_realmdomain",
  "zerver_realmuserdefault",
  "zerver_realmfilter",
  "zerver_realmemoji",
  "zerver_customprofilefield",
  "zerver_customprofilefieldvalue",
  "zerver_channelfolder",
  "zerver_stream",
  "zerver_defaultstream",
  "zerver_recipient",
  "zerver_client",
  "zerver_alertword",
  "zerver_navigationview",
  "zerver_savedsnippet",
  "zerver_scheduledmessage",
  "zerver_usertopic",
  "zerver_muteduser",
  "zerver_userstatus",
]);

/** Tables that are left out, with the reason. */
const leftOut: ReadonlyMap<string, string> = new Map([
  ["zerver_service", "outgoing webhooks, whose tokens have to be made anew"],
  ["zerver_botstoragedata", "stored data of bots"],
  ["zerver_botconfigdata", "configurations of bots"],
  ["zerver_realmplayground", "code playgrounds"],
  ["zerver_userpresence", "times when people were last there"],
  ["zerver_externalauthid", "ids of people at sign-in providers"],
  ["zerver_realmauditlog", "entries of the audit log"],
]);

/** The tables of `realm.json`. */
export class RealmTables {
  readonly #rows: ReadonlyMap<string, readonly Row[]>;
  readonly #archive: SourceArchive;
  readonly #report: ConversionReport;

  private constructor(
    archive: SourceArchive,
    report: ConversionReport,
    rows: ReadonlyMap<string, readonly Row[]>,
  ) {
    this.#archive = archive;
    this.#report = report;
    this.#rows = rows;
  }

  /** Reads the tables that are kept in memory. */
  static async read(archive: SourceArchive, report: ConversionReport): Promise<RealmTables> {
    if (archive.size("realm.json") === undefined)
      throw new TransferError("the export", undefined, "has no realm.json: it is not one of Zulip");
    const rows = new Map<string, Row[]>();
    const wants = (list: string): boolean => kept.has(list) || leftOut.has(list);
    const items = jsonItems("realm.json", bytesOf(archive, "realm.json"), wants);
    for await (const { list, value, index } of items) {
      const reason = leftOut.get(list);
      if (reason !== undefined) {
        report.skip(reason);
        continue;
      }
      const table = rows.get(list) ?? [];
      rows.set(list, table);
      carry(report, `realm.json, row ${index} of ${list}`, list, () => table.push(new Row(value)));
    }
    return new RealmTables(archive, report, rows);
  }

  get(table: string): readonly Row[] {
    return this.#rows.get(table) ?? [];
  }

  /** Returns what a function makes of the rows of a table. A row that it cannot use is reported. */
  map<Result>(table: string, make: (row: Row) => Result | undefined): Result[] {
    return this.get(table).flatMap((row, index) => {
      const where = `realm.json, row ${index + 1} of ${table}`;
      const made = carry(this.#report, where, table, () => make(row));
      return made === undefined ? [] : [made];
    });
  }

  /** Reads a table that is too large to keep, row by row. */
  async *stream<Result>(
    table: string,
    make: (row: Row) => Result | undefined,
  ): AsyncGenerator<Result> {
    const bytes = bytesOf(this.#archive, "realm.json");
    for await (const { value, index } of jsonItems("realm.json", bytes, (list) => list === table)) {
      const where = `realm.json, row ${index} of ${table}`;
      const made = carry(this.#report, where, table, () => make(new Row(value)));
      if (made !== undefined) yield made;
      await this.#report.flushIfFull();
    }
  }
}

/** Runs a function, and reports a row that it cannot use. */
export function carry<Result>(
  report: ConversionReport,
  where: string,
  what: string,
  make: () => Result,
): Result | undefined {
  try {
    return make();
  } catch (error) {
    if (!(error instanceof RowProblem)) throw error;
    report.add({ what: what.replace("zerver_", ""), where, why: error.message });
    return undefined;
  }
}

export async function* bytesOf(archive: SourceArchive, name: string): AsyncGenerator<Buffer> {
  yield* (await archive.open(name)) as AsyncIterable<Buffer>;
}
