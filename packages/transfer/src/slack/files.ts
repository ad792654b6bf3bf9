import { createHash } from "node:crypto";

import type { SourceArchive } from "../archives/source-archive.ts";
import { cleanLine } from "../clean-names.ts";
import type { ConversionReport } from "../conversion-report.ts";
import { type Block, plain } from "../markup/document.ts";
import type { AttachmentRecord, Content, MessageRecord } from "../records.ts";
import type { TransferWriter } from "../writer.ts";
import { slackFile, type SlackFile } from "./schemas.ts";

/** A file of the operator's folder or of the archive. */
interface FoundFile {
  readonly archive: SourceArchive;
  readonly name: string;
}

/** An id of a file in Slack at the beginning of a folder's or file's name. */
const FILE_ID = /^(F[A-Z0-9]{6,20})(?:[-_. ]|$)/;

/**
 * Files of messages. An export has only their addresses; their contents come from the export itself or another folder
 * where a path has the file's id: `F0123ABCD/name.png` or `F0123ABCD-name.png`, below any folder.
 */
export class SlackFiles {
  readonly attachments: AttachmentRecord[] = [];
  /** The messages that have links to them, and so give their readers the files. */
  readonly claims: { readonly attachment_id: number; readonly message_id: number }[] = [];
  readonly #found = new Map<string, FoundFile>();
  readonly #uploaded = new Map<string, AttachmentRecord>();
  readonly #writer: TransferWriter;
  readonly #report: ConversionReport;

  constructor(
    archives: readonly SourceArchive[],
    writer: TransferWriter,
    report: ConversionReport,
  ) {
    this.#writer = writer;
    this.#report = report;
    for (const archive of archives)
      for (const name of archive.names) {
        const id = name
          .split("/")
          .map((part) => FILE_ID.exec(part)?.[1])
          .find(Boolean);
        if (id !== undefined) this.#found.set(id, { archive, name });
      }
  }

  /** Returns lines of a message that link its files. */
  async linksOf(
    files: readonly unknown[],
    ownerId: number,
    sentAt: string,
    where: string,
  ): Promise<Block[]> {
    const blocks: Block[] = [];
    for (const one of files) {
      const parsed = slackFile.safeParse(one);
      if (!parsed.success) {
        this.#report.add({ what: "file", where, why: "has no id" });
        continue;
      }
      const file = parsed.data;
      const label = cleanLine(file.title || file.name || "") || file.id;
      const url = await this.#pathOf(file, ownerId, sentAt, where);
      blocks.push(
        url === undefined
          ? {
              kind: "paragraph",
              inlines: [{ kind: "text", text: `[file: ${label}]`, style: plain }],
            }
          : { kind: "paragraph", inlines: [{ kind: "link", url, text: label, style: plain }] },
      );
    }
    return blocks;
  }

  /** Returns where a file can be had: among the uploads, or at its address in Slack. */
  async #pathOf(
    file: SlackFile,
    ownerId: number,
    sentAt: string,
    where: string,
  ): Promise<string | undefined> {
    const known = this.#uploaded.get(file.id);
    if (known) return pathOf(known);
    const found = this.#found.get(file.id);
    if (!found) {
      const address = withoutToken(file.permalink ?? file.url_private);
      this.#report.add({
        what: "file",
        where: `${where}, ${file.id}`,
        why:
          file.mode === "tombstone" || file.mode === "hidden_by_limit"
            ? `Slack did not export it (${file.mode})`
            : `its content is not in the export: ${address === undefined ? "it has no address" : `linked ${address}`}`,
      });
      return address;
    }
    const name = safeFileName(file.name || file.title || found.name.split("/").at(-1) || file.id);
    const attachment: AttachmentRecord = {
      id: this.attachments.length + 1,
      owner_id: ownerId,
      path_id: `1/${file.id}/${name}`,
      name,
      created_at: sentAt,
      ...(file.mimetype !== undefined &&
        /^[\w.+-]{1,80}\/[\w.+-]{1,100}$/.test(file.mimetype) && { content_type: file.mimetype }),
      ...(await addFromArchive(this.#writer, found.archive, found.name)),
    };
    this.attachments.push(attachment);
    this.#uploaded.set(file.id, attachment);
    return pathOf(attachment);
  }

  /** Notes which of its files a message links. */
  claim(files: readonly unknown[], { id, content }: Pick<MessageRecord, "id" | "content">): void {
    for (const one of files) {
      const parsed = slackFile.safeParse(one);
      const attachment = parsed.success ? this.#uploaded.get(parsed.data.id) : undefined;
      if (attachment && content.includes(`(${pathOf(attachment)})`))
        this.claims.push({ attachment_id: attachment.id, message_id: id });
    }
  }
}

function pathOf({ path_id: pathId }: AttachmentRecord): string {
  return `/user_uploads/${pathId}`;
}

/** Copies a file of an archive, which is read twice: its checksum is its name. */
export async function addFromArchive(
  writer: TransferWriter,
  archive: SourceArchive,
  name: string,
): Promise<Content> {
  const hash = createHash("sha256");
  let size = 0;
  for await (const bytes of (await archive.open(name)) as AsyncIterable<Buffer>) {
    hash.update(bytes);
    size += bytes.length;
  }
  const content = { sha256: hash.digest("hex"), size };
  await writer.addFile(content, () => archive.open(name));
  return content;
}

/** Returns an address without its token, with which anybody could download the file. */
function withoutToken(address: string | undefined): string | undefined {
  if (address === undefined || !/^https?:\/\//i.test(address)) return undefined;
  if (!URL.canParse(address)) return undefined;
  const url = new URL(address);
  url.search = "";
  url.username = url.password = "";
  return url.href;
}

/** Returns a file name that needs no escapes in a link. */
export function safeFileName(name: string): string {
  const safe = name
    .normalize("NFKD")
    .replaceAll(/[^A-Za-z0-9._-]+/g, "-")
    .replaceAll(/\.{2,}/g, ".")
    .replaceAll(/^[.-]+|-+$/g, "");
  if (safe === "") return "file";
  // The end has the type.
  return safe.length <= 100 ? safe : safe.slice(-100);
}
