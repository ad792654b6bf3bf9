import { access } from "node:fs/promises";
import { Readable } from "node:stream";
import { type RowOf, type Sql, statement } from "@carillon/db";
import {
  filesFolder,
  type FileStore,
  fileStoreFromEnvironment,
  hashObject,
  newObjectKey,
} from "@carillon/files";
import { counted, type Environment, Semaphore } from "@carillon/kit";

import { type Finding, failed, found, ok, warning } from "./finding.ts";

const figures = statement({
  name: "doctor-files",
  text: `SELECT (SELECT count(*)::int FROM attachments) AS uploads,
      (SELECT count(*)::int FROM stored_objects WHERE delete_after > now() - interval '1 hour' OR delete_after = '-infinity') AS unused,
      (SELECT count(*)::int FROM stored_objects WHERE delete_after <= now() - interval '1 hour' AND delete_after > '-infinity') AS overdue,
      (SELECT count(DISTINCT host)::int FROM process_heartbeats
        WHERE role IN ('gateway', 'worker') AND last_seen > now() - interval '20 seconds') AS hosts`,
});

const newest = statement({
  name: "doctor-newest-files",
  text: `SELECT id, object_key AS key, path_id AS path, size FROM attachments ORDER BY id DESC LIMIT $1`,
});

// Ids have gaps, so three times as many ids are drawn as files are needed.
const drawn = statement({
  name: "doctor-drawn-files",
  text: `SELECT id, object_key AS key, path_id AS path, size FROM attachments
    WHERE id = ANY(ARRAY(SELECT ceil(random() * (SELECT max(id) FROM attachments))::int FROM generate_series(1, 3 * $1::int)))
    LIMIT $1::int`,
});

const paged = statement({
  name: "doctor-files-page",
  text: `SELECT id, object_key AS key, path_id AS path, size FROM attachments WHERE id > $1 ORDER BY id LIMIT $2`,
});

type Upload = RowOf<typeof paged>;

/** A sample has this many of the newest files, and up to as many random ones. */
const sampled = 100;

/** Files that are looked up at the same time. */
const lookedUpAtOnce = 16;

const pageSize = 1_000;

/** Maximum number of missing or changed files that a finding names. */
const named = 5;

/**
 * Checks the file store, and that it has the uploaded files.
 * @param all whether to look up all files, not a sample
 */
export async function examineFiles(sql: Sql, env: Environment, all: boolean): Promise<Finding[]> {
  const [figure] = await sql.rows(figures);
  const { uploads = 0, unused = 0, overdue = 0, hosts = 0 } = figure ?? {};
  const folder = filesFolder(env);
  const isThere = folder === undefined || (await exists(folder));
  // Opening the store would create the folder.
  if (!isThere)
    return [
      uploads > 0
        ? failed(
            "files",
            `FILES_DIR ${folder} does not exist, but ${counted(uploads, "uploaded file")} should be in it`,
          )
        : warning("files", `FILES_DIR ${folder} does not exist; the first upload creates it`),
    ];
  const store = fileStoreFromEnvironment(env);
  try {
    const probed = await found("files", async () => {
      await probe(store);
      return [ok("files", `stored ${store.about}; can be written, read and deleted`)];
    });
    if (probed.some(({ state }) => state === "failed")) return probed;
    const shared =
      folder !== undefined && hosts > 1
        ? `; processes run on ${hosts} hosts: do they share the folder?`
        : "";
    const lookedUp = await found("uploaded files", async () => [
      await lookUp(store, all ? everyUpload(sql) : sample(sql), uploads, shared),
    ]);
    const ledger =
      unused === 1
        ? "1 unused object waits for its deletion"
        : `${unused} unused objects wait for their deletion`;
    return [
      ...probed,
      ...lookedUp,
      overdue > 0
        ? warning(
            "unused objects",
            `${overdue} should have been deleted more than an hour ago: do workers run, and reach the store?`,
          )
        : ok("unused objects", ledger),
    ];
  } finally {
    await store.close();
  }
}

async function exists(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  );
}

/** Stores, reads and deletes an object. */
async function probe(store: FileStore): Promise<void> {
  const key = newObjectKey();
  const body = Buffer.from(`Carillon's doctor ${key}`);
  try {
    const stored = await store.put(key, Readable.from([body], { objectMode: false }));
    const read = await hashObject(store, key, { times: 0, firstMs: 0 });
    if (!read?.sha256.equals(stored.sha256))
      throw new Error(`the store ${store.about} returned other bytes than were stored`);
  } finally {
    await store.delete([key]);
  }
}

async function* sample(sql: Sql): AsyncGenerator<Upload[]> {
  const latest = await sql.rows(newest, [sampled]);
  const random = await sql.rows(drawn, [sampled]);
  const known = new Set(latest.map(({ id }) => id));
  yield [...latest, ...random.filter(({ id }) => !known.has(id))];
}

async function* everyUpload(sql: Sql): AsyncGenerator<Upload[]> {
  for (let after = 0; ;) {
    const page = await sql.rows(paged, [after, pageSize]);
    yield page;
    if (page.length < pageSize) return;
    after = page.at(-1)?.id ?? after;
  }
}

async function lookUp(
  store: FileStore,
  pages: AsyncIterable<readonly Upload[]>,
  total: number,
  hint: string,
): Promise<Finding> {
  const faults: string[] = [];
  let looked = 0;
  let faulty = 0;
  const semaphore = new Semaphore(lookedUpAtOnce);
  for await (const page of pages)
    await Promise.all(
      page.map(({ key, path, size }) =>
        semaphore.run(async () => {
          const present = await store.stat(key);
          looked++;
          if (present?.size === size) return;
          faulty++;
          if (faults.length >= named) return;
          const fault = present ? `has ${present.size} of ${size} bytes` : "is missing";
          faults.push(`${path} ${fault} (object ${key})`);
        }),
      ),
    );
  // Files may have been uploaded since they were counted.
  const which = `${looked} of ${Math.max(looked, total)} looked up`;
  if (faulty === 0) return ok("uploaded files", `${which}: none is missing or damaged`);
  const more = faulty > faults.length ? `, and ${faulty - faults.length} more` : "";
  return failed("uploaded files", `${which}: ${faults.join(", ")}${more}${hint}`);
}
