import * as z from "zod";

/** The version of the format. It is raised when older imports could not read new exports. */
export const transferFormat = 1;

export const sha256Pattern = /^[0-9a-f]{64}$/;

/** Name of a file of records: the table and `.ndjson`. */
export const recordFilePattern = /^[a-z][a-z_0-9]{0,62}\.ndjson$/;

/**
 * The content of `manifest.json`. The file is written last: a folder without it is an unfinished export.
 */
export const manifestSchema = z.strictObject({
  format: z.literal(transferFormat),
  source: z.strictObject({
    /** The kind of server that the records come from, such as `carillon`, `slack` or `zulip`. */
    kind: z.string().min(1).max(40),
    /** Its address, without a slash at the end. Links to it become links to the new address. */
    url: z
      .string()
      .max(2048)
      .regex(/^https?:\/\/[^/]+$/, "must be a scheme, a host and perhaps a port")
      .optional(),
  }),
  madeAt: z.iso.datetime(),
  /** Whether this export made the organization read-only. */
  final: z.boolean().default(false),
  /** Identifies the key with which the secrets of this export are sealed; absent if it has no secrets. */
  keyId: z.string().regex(sha256Pattern).optional(),
  /** The greatest ids that the source has given, by table. An import gives greater ones, so that old ids are unknown. */
  greatestIds: z.record(z.string().regex(/^[a-z][a-z_0-9]{0,62}$/), z.int().min(0)).optional(),
  records: z
    .array(
      z.strictObject({
        file: z.string().regex(recordFilePattern),
        count: z.int().min(0),
        bytes: z.int().min(0),
        sha256: z.string().regex(sha256Pattern),
      }),
    )
    .max(1000),
});
export type Manifest = z.infer<typeof manifestSchema>;
