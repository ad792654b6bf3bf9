import { StorageUnavailable } from "../store.ts";
import type { S3Config } from "./config.ts";

/** Fields of the SDK's errors. */
interface ServiceError extends Error {
  readonly $metadata?: { readonly httpStatusCode?: number };
  /** Only errors of the network have it. */
  readonly code?: unknown;
}

/** Advice for the errors that an operator can mend, by their code. */
const advice: Readonly<Record<string, (config: S3Config) => string>> = {
  InvalidAccessKeyId: unknownKey,
  SignatureDoesNotMatch: () => "S3_SECRET_ACCESS_KEY is not the secret of S3_ACCESS_KEY_ID",
  AccessDenied: forbidden,
  NoSuchBucket: ({ bucket }) => `S3_BUCKET: there is no bucket ${bucket}; create it`,
  NotFound: ({ bucket }) => `S3_BUCKET: there is no bucket ${bucket}; create it`,
  PermanentRedirect: ({ region }) => `S3_REGION: the bucket is not in ${region}`,
  AuthorizationHeaderMalformed: ({ region }) => `S3_REGION: the bucket is not in ${region}`,
  RequestTimeTooSkewed: () => "the clock of this machine is wrong; set it",
  ENOTFOUND: () => "S3_ENDPOINT: there is no such host",
  EAI_AGAIN: () => "S3_ENDPOINT: the name of its host cannot be resolved now",
  ECONNREFUSED: () => "S3_ENDPOINT: nothing listens there",
};

/** Advice by HTTP status, for answers to HEAD, which have no code. */
const adviceWithoutCode: Readonly<Record<number, (config: S3Config) => string>> = {
  301: ({ region }) => `S3_REGION: the bucket is not in ${region}`,
  403: forbidden,
};

function unknownKey(): string {
  return "S3_ACCESS_KEY_ID: S3 does not know this key";
}

function forbidden({ bucket }: S3Config): string {
  return `S3_ACCESS_KEY_ID may not do this in the bucket ${bucket}; it needs to list, read, write and delete`;
}

/** Returns the error to report when S3 fails or refuses. */
export function s3Error(config: S3Config, error: unknown): StorageUnavailable {
  if (error instanceof StorageUnavailable) return error;
  const code = codeOf(error);
  const reason = firstLine(error);
  // Servers other than Amazon's use other codes for an unknown key.
  const other = /access key/i.test(reason) ? unknownKey : adviceWithoutCode[statusOf(error) ?? 0];
  const known = (advice[code] ?? other)?.(config);
  const message = known ?? `S3_ENDPOINT: the request failed: ${reason}`;
  return new StorageUnavailable(`${message} (${code}, ${placeOf(config)})`, { cause: error });
}

/** Returns the error to report for an invalid or missing answer of S3. */
export function brokenAnswer(config: S3Config, message: string): StorageUnavailable {
  return new StorageUnavailable(`S3_ENDPOINT: ${message} (${placeOf(config)})`);
}

/** Returns the code of an error of S3 or of the network. */
export function codeOf(error: unknown): string {
  if (!(error instanceof Error)) return "unknown error";
  const { code } = error as ServiceError;
  return typeof code === "string" && /^E[A-Z_]+$/.test(code) ? code : error.name;
}

/** Returns the HTTP status of an error of S3. */
export function statusOf(error: unknown): number | undefined {
  return error instanceof Error ? (error as ServiceError).$metadata?.httpStatusCode : undefined;
}

/** Returns the bucket and its endpoint or region, for messages. */
export function placeOf({ bucket, endpoint, region }: S3Config): string {
  return endpoint === undefined ? `${bucket} in ${region}` : `${bucket} at ${endpoint}`;
}

function firstLine(error: unknown): string {
  return error instanceof Error ? (error.message.split("\n")[0] ?? "") : String(error);
}
