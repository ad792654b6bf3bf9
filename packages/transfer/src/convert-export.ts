import { mkdir, rm, stat } from "node:fs/promises";
import { basename, dirname } from "node:path";

import { openFolder } from "./archives/folder-archive.ts";
import { rootedAt } from "./archives/rooted-archive.ts";
import type { SourceArchive } from "./archives/source-archive.ts";
import { unpackTarball } from "./archives/unpack-tarball.ts";
import { openZip } from "./archives/zip-archive.ts";
import { ConversionReport } from "./conversion-report.ts";
import { convertSlack, workspaceName } from "./slack/convert-slack.ts";
import { TransferError } from "./transfer-error.ts";
import { TransferWriter } from "./writer.ts";
import { convertZulip } from "./zulip/convert-zulip.ts";

export interface ConversionOptions {
  readonly program: "slack" | "zulip";
  /** Path of the export: a zip file, a tarball or a folder. */
  readonly source: string;
  /** The folder to write; must not exist. */
  readonly folder: string;
  /** Slack: a folder or zip file with the contents of files. */
  readonly files?: string | undefined;
  /** Default: the name in the export, or that of its file. */
  readonly organizationName?: string | undefined;
  /** Slack: the topic of messages outside threads. */
  readonly defaultTopic?: string | undefined;
  /** Zulip: the address of the organization there. Links to it in messages become links to the new address. */
  readonly url?: string | undefined;
  readonly progress?: ((messages: number) => void) | undefined;
}

/** The result of a conversion. */
export interface Conversion {
  /** The number of records, by table. */
  readonly records: ReadonlyMap<string, number>;
  /** The file that lists what was left out or changed. */
  readonly reportFile: string;
  /** The number of things in that file, by kind. */
  readonly reported: ReadonlyMap<string, number>;
  /** The number of things that were left out on purpose, by kind. */
  readonly skipped: ReadonlyMap<string, number>;
}

/**
 * Converts an export of another program into Carillon's format. A conversion that fails leaves no folder, only its report.
 * @throws TransferError for an export that cannot be read
 */
export async function convertExport(options: ConversionOptions): Promise<Conversion> {
  const { source } = options;
  const folder = options.folder.replace(/\/+$/, "");
  if (await stat(folder).catch(() => undefined))
    throw new TransferError(folder, undefined, "is there already: name a new folder");
  const work = workFolder(folder);
  await mkdir(work, { mode: 0o700 }).catch((error: NodeJS.ErrnoException) => {
    throw error.code === "EEXIST"
      ? new TransferError(work, undefined, "is left from an interrupted conversion: delete it")
      : new TransferError(dirname(folder), undefined, `cannot be written (${error.code})`);
  });
  const reportFile = `${folder}-report.ndjson`;
  const report = await ConversionReport.open(reportFile);
  let archive: SourceArchive | undefined;
  let files: SourceArchive | undefined;
  try {
    archive = rootedAt(
      await openSource(source, work),
      options.program === "slack" ? "users.json" : "realm.json",
    );
    files = options.files === undefined ? undefined : await openSource(options.files, work);
    const name = options.organizationName;
    const writer = await TransferWriter.open(folder, {
      kind: options.program,
      ...(options.url !== undefined && { url: options.url }),
    });
    const common = {
      archive,
      writer,
      report,
      progress: options.progress,
    };
    if (options.program === "slack")
      await convertSlack({
        ...common,
        files,
        organizationName: name || workspaceName(basename(source)) || "Imported from Slack",
        defaultTopic: options.defaultTopic ?? "general",
      });
    else await convertZulip({ ...common, organizationName: name });
    const manifest = await writer.finish();
    const records = manifest.records.map(
      ({ file, count }) => [file.replace(".ndjson", ""), count] as const,
    );
    return {
      records: new Map(records),
      reportFile,
      reported: report.counts,
      skipped: report.skipped,
    };
  } catch (error) {
    await rm(folder, { recursive: true, force: true });
    throw error;
  } finally {
    await report.close();
    await archive?.close();
    await files?.close();
    await rm(work, { recursive: true, force: true });
  }
}

/** Deletes what a conversion has written so far. */
export async function discardConversion(folder: string): Promise<void> {
  for (const path of [folder, workFolder(folder)]) await rm(path, { recursive: true, force: true });
}

/** Returns the folder into which a tarball is unpacked. */
function workFolder(folder: string): string {
  return `${folder}.unpacked`;
}

/** Opens a folder, a zip file or a tarball. Unpacks a tarball first. */
async function openSource(path: string, work: string): Promise<SourceArchive> {
  const found = await stat(path).catch((error: NodeJS.ErrnoException) => {
    throw new TransferError(path, undefined, `cannot be read (${error.code})`);
  });
  if (found.isDirectory()) return openFolder(path);
  if (/\.(?:tar|tar\.gz|tgz)$/.test(path)) {
    await unpackTarball(path, work);
    return openFolder(work);
  }
  return openZip(path);
}
