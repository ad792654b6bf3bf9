import { errors, roles } from "@carillon/contract";
import { notNull, packed, type RowOf, type Sql, statement } from "@carillon/db";
import type { LinkedFile } from "@carillon/markdown";
import { channelReadableBy, hasSharedHistorySql, type Reader } from "@carillon/model";
import { mediaTypeOf } from "./content-type.ts";
import { transcodedName } from "./thumbnail-formats.ts";

/** A file in the store. `size` is in bytes, `sha256` is the hash of the bytes, `now` is the database's time in UNIX seconds. */
export type StoredFileRow = RowOf<typeof byPath>;

const columns = `a.id, a.path_id AS "pathId", a.object_key AS "objectKey", a.name, a.content_type AS "contentType",
      a.size, a.sha256, extract(epoch FROM now())::float8 AS now`;

/**
 * SQL: whether the account `viewer` may read one of the messages that claim a file. First checks each conversation of these
 * messages once, because a file may be in thousands of messages of few conversations.
 * @param claims rows of `attachment_claims`
 */
const readableIn = (claims: string) => `EXISTS (
      SELECT FROM (
        SELECT DISTINCT m.recipient_id FROM ${claims} claim JOIN messages m ON m.id = claim.message_id OFFSET 0) place
      JOIN recipients r ON r.id = place.recipient_id
      LEFT JOIN channels c ON c.id = r.channel_id
      WHERE CASE WHEN c.id IS NULL THEN viewer.id = ANY(r.member_ids)
          ELSE ${channelReadableBy("viewer.id", `viewer.role = ${roles.guest}`)} END
        AND (coalesce(${hasSharedHistorySql}, false) OR EXISTS (
          SELECT FROM ${claims} claim JOIN messages m ON m.id = claim.message_id
          JOIN user_messages um ON um.user_id = viewer.id AND um.message_id = m.id
          WHERE m.recipient_id = r.id)))`;

const claimsOfFile = "SELECT message_id FROM attachment_claims WHERE attachment_id = a.id";

/**
 * SQL: whether the account `viewer` may read the file `a` (files.md §3): it has uploaded the file, or may read a message
 * that claims it. The newest messages come first, because most readers have come from one of them.
 */
const readable = `(a.owner_id = viewer.id
      OR ${readableIn(`(${claimsOfFile} ORDER BY message_id DESC LIMIT 50)`)}
      OR ${readableIn(`(${claimsOfFile})`)})`;

/** A file that an account asks for. */
export interface FileRequest {
  readonly viewer: Reader;
  /** The path below `/user_uploads/`. */
  readonly pathId: string;
}

const readableByPaths = statement({
  name: "files-readable",
  text: `SELECT wanted.position::int, ${columns}
    FROM unnest((SELECT $1::int[]), (SELECT $2::int[]), (SELECT $3::text[]))
      WITH ORDINALITY AS wanted (realm_id, viewer_id, path_id, position)
    JOIN users viewer ON viewer.realm_id = wanted.realm_id AND viewer.id = wanted.viewer_id
    JOIN attachments a ON a.realm_id = wanted.realm_id AND a.path_id = wanted.path_id
    WHERE ${readable}`,
  overrides: { position: notNull },
});

/** Loads the files that the accounts may read, in the order of the requests, by one statement. */
export async function readableFiles(
  sql: Sql,
  requests: readonly FileRequest[],
): Promise<Array<StoredFileRow | undefined>> {
  const rows = await sql.rows(readableByPaths, [
    packed.ints(requests.map(({ viewer }) => viewer.realmId)),
    packed.ints(requests.map(({ viewer }) => viewer.id)),
    packed.texts(requests.map(({ pathId }) => pathId)),
  ]);
  const files = new Map(rows.map(({ position, ...file }) => [position, file]));
  return requests.map((_, index) => files.get(index + 1));
}

/**
 * Returns the file if the account may read it.
 * @throws ApiError `BAD_REQUEST` with status 404, the same for a file that does not exist
 */
export function requireFile(file: StoredFileRow | undefined): StoredFileRow {
  if (!file) throw errors.notFound404("There is no such file, or you may not read it");
  return file;
}

const byPath = statement({
  name: "file-by-path",
  text: `SELECT ${columns} FROM attachments a WHERE a.path_id = $1`,
});

/** Returns the file of a path without checking access, for temporary addresses, which are themselves proof of access. */
export async function fileByPath(sql: Sql, pathId: string): Promise<StoredFileRow | undefined> {
  return (await sql.rows(byPath, [pathId]))[0];
}

const filesByAuthor = `SELECT wanted.author_id AS "authorId", a.path_id AS "pathId", a.content_type AS "contentType",
      i.state, i.width, i.height, i.frames
    FROM unnest((SELECT $2::int[]), (SELECT $3::text[])) AS wanted (author_id, path_id)
    JOIN users viewer ON viewer.realm_id = $1 AND viewer.id = wanted.author_id
    JOIN attachments a ON a.realm_id = $1 AND a.path_id = wanted.path_id
    LEFT JOIN images i ON i.attachment_id = a.id`;

const readableByAuthors = statement({
  name: "files-readable-by-authors",
  text: `${filesByAuthor}
    WHERE ${readable}`,
  overrides: { authorId: notNull },
});

const linkedByAuthors = statement({
  name: "files-linked-by-authors",
  text: filesByAuthor,
  overrides: { authorId: notNull },
});

/** The author of a text, and the paths of the files that the text links to. */
interface WantedFiles {
  readonly authorId: number;
  readonly pathIds: readonly string[];
}

/** Finds files by author and path. Authors without files are missing. */
export type FindFiles = (
  sql: Sql,
  realmId: number,
  wanted: readonly WantedFiles[],
) => Promise<ReadonlyMap<number, ReadonlyMap<string, LinkedFile>>>;

/** Returns the files that each author may read. */
export const filesReadableByAuthors: FindFiles = (sql, realmId, wanted) =>
  filesOf(sql, readableByAuthors, realmId, wanted);

/** Returns the files that each author links to, without checking access. */
export const filesOfOrganization: FindFiles = (sql, realmId, wanted) =>
  filesOf(sql, linkedByAuthors, realmId, wanted);

async function filesOf(
  sql: Sql,
  query: typeof readableByAuthors,
  realmId: number,
  wanted: readonly WantedFiles[],
): Promise<ReadonlyMap<number, ReadonlyMap<string, LinkedFile>>> {
  const byAuthor = new Map<number, Set<string>>();
  for (const { authorId, pathIds } of wanted) {
    const paths = byAuthor.get(authorId) ?? new Set<string>();
    byAuthor.set(authorId, paths);
    for (const path of pathIds) paths.add(path);
  }
  const pairs = [...byAuthor].flatMap(([authorId, paths]) =>
    [...paths].map((path) => ({ authorId, path })),
  );
  const rows = await sql.rows(query, [
    realmId,
    pairs.map(({ authorId }) => authorId),
    pairs.map(({ path }) => path),
  ]);
  const found = new Map<number, Map<string, LinkedFile>>();
  for (const { authorId, pathId, ...file } of rows)
    found.set(authorId, (found.get(authorId) ?? new Map()).set(pathId, linkedFile(file)));
  return found;
}

function linkedFile(
  file: Omit<RowOf<typeof readableByAuthors>, "authorId" | "pathId">,
): LinkedFile {
  const mediaType = mediaTypeOf(file.contentType);
  const { state, width, height, frames } = file;
  if (state === null || state === "refused") return { mediaType };
  if (state === "pending" || width === null || height === null || frames === null)
    return { mediaType, image: "pending" };
  const transcoded = mediaType === "image/tiff" ? transcodedName(width, height) : undefined;
  return { mediaType, image: { width, height, isAnimated: frames > 1, transcoded } };
}
