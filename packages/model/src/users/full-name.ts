import { errors } from "@carillon/contract";
import { statement, type Tx } from "@carillon/db";
import { inSlices, invisibleCharacter, isLongerThan } from "@carillon/kit";

import { lockOrganization, type Realm } from "../realms.ts";
import { lookAlike, skeletonOf } from "./look-alikes.ts";

/** Maximum code points of a name. */
const maxLength = 100;

/** Control characters, unpaired surrogates, noncharacters, and the syntax of Markdown mentions. */
const forbidden = /[\p{Cc}\p{Cs}\p{Noncharacter_Code_Point}*`\\>"@]/u;

/**
 * Checks a name and returns it as it is stored: trimmed, with single spaces (users.md §3.3).
 * @throws ApiError `BAD_REQUEST`
 */
export function checkFullName(text: string): string {
  const name = text.trim().replaceAll(/\p{Zs}+/gu, " ");
  if (name === "") throw errors.badRequest("full_name must not be blank");
  if (isLongerThan(name, maxLength))
    throw errors.badRequest(`full_name must not have more than ${maxLength} characters`);
  if (forbidden.test(name))
    throw errors.badRequest(
      'full_name must have printable characters only, and none of * ` \\ > " @',
    );
  checkVisible("full_name", name);
  checkNotReserved("full_name", name);
  if (/\|\d+$/.test(name)) throw errors.badRequest("full_name must not end in | and digits");
  return name;
}

/**
 * Checks that no other account has the name or one that looks the same, ignoring case, if the organization requires
 * unique names; inactive accounts count too. Locks the organization, so that no name changes until the transaction
 * ends.
 * @param exceptId the account that will have the name
 * @throws ApiError `BAD_REQUEST`
 */
export async function checkNameIsFree(
  tx: Tx,
  realm: Realm,
  name: string,
  exceptId = 0,
): Promise<void> {
  if (!realm.requireUniqueNames) return;
  await lockOrganization(tx, realm.id);
  const collision = await findCollision(tx, realm.id, name, { exceptId, onlyActive: false });
  if (collision === "same") throw errors.badRequest("Another user has this full_name");
  if (collision) throw errors.badRequest("Another user has a full_name that looks like this one");
}

/** Unicode's Default_Ignorable_Code_Points and other invisible ones, in the syntax of PostgreSQL's patterns. */
const ignorable =
  "\\u00AD\\u034F\\u061C\\u115F\\u1160\\u17B4\\u17B5\\u180B-\\u180F\\u200B-\\u200F\\u2028-\\u202E\\u2060-\\u206F\\u2800\\u3164" +
  "\\uFE00-\\uFE0F\\uFEFF\\uFFA0\\uFFF0-\\uFFFB\\U0001BCA0-\\U0001BCA3\\U0001D173-\\U0001D17A\\U000E0000-\\U000E0FFF";

/**
 * SQL: the form in which names are compared: NFKC, without invisible characters, with single spaces, in the database's
 * lower case (docs/decisions/047). Names from earlier versions may contain invisible characters.
 * @param name an SQL expression
 */
function nameKeySql(name: string): string {
  const visible = `regexp_replace(normalize(${name}, NFKC), '[${ignorable}]+', '', 'g')`;
  return `lower(btrim(regexp_replace(${visible}, '\\s+', ' ', 'g')))`;
}

const ofOthers = "FROM users WHERE realm_id = $1 AND id <> $2 AND (is_active OR NOT $3)";

const named = statement({
  name: "name-taken",
  text: `SELECT ${ofOthers} AND ${nameKeySql("full_name")} = ${nameKeySql("$4")} LIMIT 1`,
});

const spaced = String.raw`regexp_replace(full_name, '\s+', ' ', 'g')`;

/**
 * Returns the names that may look like the given one: all names with characters beyond ASCII, to be compared in JavaScript,
 * and the ASCII names that match. Most names of most organizations are ASCII, so few are returned.
 */
const comparable = statement({
  name: "names-to-compare",
  text: `SELECT full_name AS name ${ofOthers} AND (
      octet_length(full_name) <> char_length(full_name)
      OR translate(${spaced}, 'I|', 'll') = $4
      OR lower(translate(${spaced}, '|', 'l') COLLATE "C") = $5
    )`,
});

/** The accounts to compare with. */
interface Others {
  /** The account that will have the name; 0 for a new one. */
  readonly exceptId: number;
  readonly onlyActive: boolean;
}

/**
 * Returns how the name collides with another account's: `same` if it differs only in case, spaces and invisible
 * characters, `alike` if it looks the same. Requires the organization's lock (docs/decisions/047).
 */
export async function findCollision(
  tx: Tx,
  realmId: number,
  name: string,
  { exceptId, onlyActive }: Others,
): Promise<"same" | "alike" | undefined> {
  const skeleton = skeletonOf(name);
  const who = [realmId, exceptId, onlyActive] as const;
  const [same, others] = await Promise.all([
    tx.first(named, [...who, name]),
    tx.rows(comparable, [...who, skeleton.exact, skeleton.caseless]),
  ]);
  if (same) return "same";
  const alike = await inSlices(others, (other) => lookAlike(skeleton, skeletonOf(other.name)));
  return alike.includes(true) ? "alike" : undefined;
}

/** Names of the system bots, and wildcard mentions (rendering.md §4). */
const reserved = new Set([
  "notification bot",
  "scheduling bot",
  "welcome bot",
  "all",
  "everyone",
  "channel",
  "stream",
  "topic",
]);

/**
 * Rejects a name that could be mistaken for one that the server uses. Ignores case, width, accents and differences
 * between letters that look alike.
 * @param what the parameter's name in the error
 * @throws ApiError `BAD_REQUEST`
 */
export function checkNotReserved(what: string, name: string): void {
  const plain = name.normalize("NFKD").replaceAll(/\p{M}/gu, "");
  const { exact, caseless } = skeletonOf(plain);
  const readings = [exact, caseless].map((text) => text.toLowerCase().replaceAll(/\p{M}/gu, ""));
  const key = readings.find((text) => reserved.has(text));
  if (key !== undefined)
    throw errors.badRequest(`${what} must not look like ${key}: the server uses that name itself`);
}

/**
 * Rejects a text with invisible characters.
 * @param what the parameter's name in the error
 * @throws ApiError `BAD_REQUEST` that names the character
 */
export function checkVisible(what: string, text: string): void {
  const found = invisibleCharacter(text);
  if (found === undefined) return;
  throw errors.badRequest(
    found === "nothing"
      ? `${what} must contain a visible character`
      : `${what} must not contain the invisible character ${found}: remove it`,
  );
}
