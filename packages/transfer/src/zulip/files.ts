import { jsonItems } from "../archives/json-items.ts";
import type { SourceArchive } from "../archives/source-archive.ts";
import type { ConversionReport } from "../conversion-report.ts";
import type { PictureMaker } from "../picture-maker.ts";
import type { AttachmentRecord, EmojiRecord } from "../records.ts";
import { addFromArchive } from "../slack/files.ts";
import type { TransferWriter } from "../writer.ts";
import { bytesOf, carry, type RealmTables } from "./realm-tables.ts";
import { defined, Row, RowProblem } from "./row.ts";

/** A message that has a link to a file, and so gives its readers the file. */
export type Claim = Readonly<Record<"attachment_id" | "message_id", number>>;

interface FileSources {
  readonly archive: SourceArchive;
  readonly writer: TransferWriter;
  readonly report: ConversionReport;
  readonly accounts: ReadonlySet<number>;
}

/**
 * Copies uploaded files: `attachment.json` names those of messages, `uploads/` has them.
 * @param claims gets the messages of each
 */
export async function* attachmentsOf(
  { archive, writer, report, accounts }: FileSources,
  claims: Claim[],
): AsyncGenerator<AttachmentRecord> {
  const file = "attachment.json";
  if (archive.size(file) === undefined) return;
  const paths = new Set<string>();
  for await (const { value, index } of jsonItems(
    file,
    bytesOf(archive, file),
    (list) => list === "zerver_attachment",
  )) {
    const where = `${file}, row ${index}`;
    const found = carry(report, where, "file", () => {
      const row = new Row(value);
      const path = row.text("path_id");
      const owner = row.number("owner");
      if (!accounts.has(owner)) throw new RowProblem(`its owner ${owner} is not in the export`);
      if (path.length > 320 || !/^[^\s()<>"'\]]+$/.test(path) || paths.has(path))
        throw new RowProblem(`path_id is not usable or is there twice`);
      if (archive.size(`uploads/${path}`) === undefined)
        throw new RowProblem(`uploads/${path} is not in the export`);
      paths.add(path);
      for (const message of new Set(row.numbers("messages")))
        claims.push({ attachment_id: row.id, message_id: message });
      return defined({
        id: row.id,
        owner_id: owner,
        path_id: path,
        name: row.maybeText("file_name") || (path.split("/").at(-1) ?? "file"),
        content_type: row.maybeText("content_type")?.slice(0, 200) || undefined,
        created_at: row.maybeTime("create_time"),
      });
    });
    if (!found) continue;
    const content = await addFromArchive(writer, archive, `uploads/${found.path_id}`);
    yield { ...found, ...content };
    await report.flushIfFull();
  }
}

/** Copies custom emoji. */
export async function emojiOf(
  tables: RealmTables,
  { archive, accounts, owner }: FileSources & { readonly owner: number | undefined },
  pictures: PictureMaker,
): Promise<EmojiRecord[]> {
  const found = tables.map("zerver_realmemoji", (row) => {
    const name = row.text("name");
    if (!/^[a-z0-9_.-]{1,100}$/.test(name))
      throw new RowProblem(`the name ${JSON.stringify(name)} cannot be used`);
    const file = row.text("file_name");
    const ending = `/emoji/images/${file}`;
    const path =
      archive.names.find((one) => one.startsWith("emoji/") && one.endsWith(`${ending}.original`)) ??
      archive.names.find((one) => one.startsWith("emoji/") && one.endsWith(ending));
    if (file === "" || path === undefined)
      throw new RowProblem(`its picture ${file} is not in the export`);
    const given = row.maybeNumber("author");
    const author = given !== undefined && accounts.has(given) ? given : owner;
    if (author === undefined)
      throw new RowProblem("has no author, and nobody owns the organization");
    return {
      path,
      record: {
        id: row.id,
        name,
        deactivated: row.flag("deactivated"),
        author_id: author,
      },
    };
  });
  const records: EmojiRecord[] = [];
  for (const { path, record } of found) {
    const made = await pictures.emoji(record.id, path);
    if (made) records.push({ ...record, ...made });
  }
  return records;
}
