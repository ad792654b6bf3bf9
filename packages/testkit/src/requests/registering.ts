import type { GatewayClient, Params } from "../gateway-client.ts";

/** Fields of the snapshot in the response of `POST /register`. */
export type Snapshot = Readonly<Record<string, unknown>>;

/**
 * Registers a queue and returns the response.
 * @param sections the event types to fetch; default: all
 */
export async function snapshotOf(
  client: GatewayClient,
  sections?: readonly string[],
  params: Params = {},
): Promise<Snapshot> {
  const answer = await client.post("/api/v1/register", { fetch_event_types: sections, ...params });
  if (answer.status !== 200) throw new Error(`${answer.status}: ${answer.text}`);
  return answer.body;
}

/** Fields of every response. */
const always = [
  "result",
  "msg",
  "queue_id",
  "last_event_id",
  "idle_queue_timeout_secs",
  "zulip_version",
  "zulip_feature_level",
  "zulip_merge_base",
];

/** The fields that the requested sections added to the response. */
export function fieldsOf(snapshot: Snapshot): string[] {
  return Object.keys(snapshot).filter((name) => !always.includes(name));
}

/** The type that a client expects of a field. */
export type FieldType = "int" | "string" | "bool" | "list" | "object" | "int?" | "object?" | "null";

/** The type of a value as a {@link FieldType}. */
export function typeOf(value: unknown): FieldType | "other" {
  if (value === null) return "null";
  if (Array.isArray(value)) return "list";
  if (Number.isInteger(value)) return "int";
  const type = typeof value;
  if (type === "boolean") return "bool";
  return type === "string" || type === "object" ? type : "other";
}

/** Returns whether a client that expects this type can read the value. */
export function isOf(type: FieldType, value: unknown): boolean {
  const found = typeOf(value);
  return found === type || (type.endsWith("?") && (found === "null" || type === `${found}?`));
}
