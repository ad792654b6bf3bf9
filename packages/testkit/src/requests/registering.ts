import type { GatewayClient, Params } from "../gateway-client.ts";

/** Parts of the snapshot, as `POST /register` answers them. */
export type Snapshot = Readonly<Record<string, unknown>>;

/**
 * Registers and gives what is answered.
 * @param sections what to fetch; everything unless given
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

/** Fields that every answer has. */
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

/** What the sections that were asked for added to the answer. */
export function fieldsOf(snapshot: Snapshot): string[] {
  return Object.keys(snapshot).filter((name) => !always.includes(name));
}

/** What a client takes a field for. */
export type FieldType = "int" | "string" | "bool" | "list" | "object" | "int?" | "object?" | "null";

/** The type of a value in the words of {@link FieldType}. */
export function typeOf(value: unknown): FieldType | "other" {
  if (value === null) return "null";
  if (Array.isArray(value)) return "list";
  if (Number.isInteger(value)) return "int";
  const type = typeof value;
  if (type === "boolean") return "bool";
  return type === "string" || type === "object" ? type : "other";
}

/** Whether a client that wants a field of this type can read the value. */
export function isOf(type: FieldType, value: unknown): boolean {
  const found = typeOf(value);
  return found === type || (type.endsWith("?") && (found === "null" || type === `${found}?`));
}
