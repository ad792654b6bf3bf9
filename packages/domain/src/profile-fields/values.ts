import { errors, maxProfileHtml, maxProfileUsers, type NewEvent } from "@carillon/contract";
import { statement, type Tx } from "@carillon/db";
import { emit } from "@carillon/events";
import { isLongerThan } from "@carillon/kit";
import { renderDescription, RenderLimitError } from "@carillon/markdown";
import {
  type Account,
  lockAccountAudience,
  fullUserVisibility,
  lockGroupGraphShared,
  lockOrganizationShared,
  isOrganizationAdministrator,
  loadProfileFields,
  loadUserVisibility,
  lockAccount,
  personUpdated,
  type ProfileField,
  type UserVisibility,
  loadAfter,
} from "@carillon/model";

import { isLink, parseFieldData, profileFieldTypes } from "./check-field.ts";

/**
 * Changes the account's own values of custom profile fields, all or none (settings-and-profile-fields.md §2.5), and
 * sends the changes.
 * @throws ApiError `BAD_REQUEST`
 */
export async function updateOwnProfile(
  tx: Tx,
  actor: Account,
  entries: readonly ProfileEntry[],
): Promise<void> {
  const { realmId } = actor;
  const { account } = await loadAfter(lockGroupGraphShared(tx, realmId), {
    account: lockAccount(tx, realmId, actor.id),
    organization: lockOrganizationShared(tx, realmId),
  });
  if (!account?.isActive) throw errors.unauthorized();
  const canEditAll = isOrganizationAdministrator(account);
  const values = await checkProfileValues(tx, account, entries, {
    canEdit: ({ editableByUser }) => editableByUser || canEditAll,
    userVisibility: await loadUserVisibility(tx, account),
  });
  emit(tx, realmId, await storeProfileValues(tx, account, values));
}

/** A new value of a custom profile field. */
export interface ProfileEntry {
  readonly id: number;
  readonly value: WantedValue;
}

interface NewValue {
  readonly fieldId: number;
  /** Null to delete the value. */
  readonly value: string | null;
  readonly renderedValue: string | null;
}

/**
 * Checks new values, and returns those that differ from the stored ones. The transaction must hold the locks of the
 * group graph, so that named users stay active, and of the organization, so that the fields stay.
 * @param entries if a field has several entries, the last one is used
 * @param options `canEdit`: whether the actor may edit a field; `userVisibility`: which users a field may name
 * @throws ApiError `BAD_REQUEST`
 */
export async function checkProfileValues(
  tx: Tx,
  target: Account,
  entries: readonly ProfileEntry[],
  {
    canEdit = () => true,
    userVisibility = fullUserVisibility,
  }: {
    readonly canEdit?: (field: ProfileField) => boolean;
    readonly userVisibility?: UserVisibility;
  } = {},
): Promise<NewValue[]> {
  if (target.isBot) throw errors.badRequest("Bots have no custom profile fields");
  if (entries.length === 0) return [];
  const [fields, present] = await Promise.all([
    loadProfileFields(tx, target.realmId),
    tx.rows(ownValues, [target.id]),
  ]);
  const byId = new Map(fields.map((field) => [field.id, field]));
  const stored = new Map(present.map(({ fieldId, value }) => [fieldId, value]));
  const wanted = new Map<number, NewValue>();
  const named = new Set<number>();
  for (const { id, value } of entries) {
    const field = byId.get(id);
    if (!field) throw errors.badRequest(`There is no custom profile field ${id}`);
    if (!canEdit(field))
      throw errors.badRequest(`Only administrators of the organization may change ${field.name}`);
    const text = isRemoval(value) ? null : checkValue(field, value);
    if (typeof value === "object" && value !== null) for (const userId of value) named.add(userId);
    wanted.set(id, { fieldId: id, value: text, renderedValue: rendered(field, text) });
  }
  await checkArePeople(tx, target.realmId, userVisibility, [...named]);
  return [...wanted.values()].filter(
    ({ fieldId, value }) => value !== (stored.get(fieldId) ?? null),
  );
}

const { SHORT_TEXT, LONG_TEXT, SELECT, DATE, URL, USER, EXTERNAL_ACCOUNT, PRONOUNS } =
  profileFieldTypes;

const ownValues = statement({
  name: "profile-values",
  text: `SELECT field_id AS "fieldId", value FROM custom_profile_field_values WHERE user_id = $1`,
});

const activePeople = statement({
  name: "active-people-among",
  text: `SELECT count(*)::int AS count FROM users
    WHERE realm_id = $1 AND id = ANY($2::int[]) AND is_active AND NOT is_bot`,
});

/**
 * Checks that the ids belong to active people that the actor can see.
 * @throws ApiError `BAD_REQUEST` if not
 */
async function checkArePeople(
  tx: Tx,
  realmId: number,
  { sees }: UserVisibility,
  ids: readonly number[],
): Promise<void> {
  if (ids.length === 0) return;
  const found = await tx.first(activePeople, [realmId, ids]);
  if (found?.count !== ids.length || !ids.every((id) => sees({ id, isBot: false })))
    throw errors.badRequest("A user field takes only active people of the organization, not bots");
}

function rendered({ name, fieldType }: ProfileField, text: string | null): string | null {
  if (text === null || (fieldType !== SHORT_TEXT.id && fieldType !== LONG_TEXT.id)) return null;
  const html = htmlOf(text);
  if (html === undefined || html.length > maxProfileHtml)
    throw errors.badRequest(`The value of ${name} is too large when rendered: make it shorter`);
  return html;
}

function htmlOf(text: string): string | undefined {
  try {
    return renderDescription(text);
  } catch (error) {
    if (error instanceof RenderLimitError) return undefined;
    throw error;
  }
}

/** Stores the values from {@link checkProfileValues}. @returns the events */
export async function storeProfileValues(
  tx: Tx,
  account: Account,
  values: readonly NewValue[],
): Promise<NewEvent[]> {
  if (values.length === 0) return [];
  const { id: userId } = account;
  const audience = await lockAccountAudience(tx, account);
  const prisma = await tx.prisma();
  await prisma.customProfileFieldValue.deleteMany({
    where: { userId, fieldId: { in: values.map(({ fieldId }) => fieldId) } },
  });
  await prisma.customProfileFieldValue.createMany({
    data: values.flatMap(({ value, ...rest }) =>
      value === null ? [] : [{ ...rest, userId, value }],
    ),
  });
  return values.map(({ fieldId: id, value, renderedValue }) =>
    personUpdated(
      userId,
      {
        custom_profile_field: {
          id,
          value,
          ...(renderedValue === null ? {} : { rendered_value: renderedValue }),
        },
      },
      audience,
    ),
  );
}

/** A requested value; null deletes it. */
type WantedValue = string | readonly number[] | null;

/** Maximum Unicode code points, by field type. */
const maxLengths: Readonly<Record<number, number>> = {
  [SHORT_TEXT.id]: 50,
  [LONG_TEXT.id]: 500,
  [EXTERNAL_ACCOUNT.id]: 50,
  [PRONOUNS.id]: 50,
};

/** Whether the value deletes the field's value (users.md §3.4). */
function isRemoval(value: WantedValue): value is null {
  return value === null || value.length === 0;
}

/**
 * Checks a value and returns it as it is stored (settings-and-profile-fields.md §2.1). Lists of users become JSON text;
 * the caller checks the users.
 * @throws ApiError `BAD_REQUEST`
 */
function checkValue(field: ProfileField, wanted: string | readonly number[]): string {
  const refuse = (what: string) => errors.badRequest(`The value of ${field.name} must be ${what}`);
  if (field.fieldType === USER.id) {
    if (typeof wanted === "string") throw refuse("a list of user IDs");
    if (wanted.length > maxProfileUsers) throw refuse(`at most ${maxProfileUsers} users`);
    return JSON.stringify(wanted);
  }
  if (typeof wanted !== "string") throw refuse("a string");
  const maxLength = maxLengths[field.fieldType];
  if (maxLength !== undefined && isLongerThan(wanted, maxLength))
    throw refuse(`of at most ${maxLength} characters`);
  if (field.fieldType === SELECT.id && !Object.hasOwn(parseFieldData(field.fieldData), wanted))
    throw refuse("one of its choices");
  if (field.fieldType === DATE.id && !isDate(wanted)) throw refuse("a date such as 2026-01-31");
  if (field.fieldType === URL.id && !isLink(wanted))
    throw refuse("an http, https, ftp or ftps URL");
  return wanted;
}

/** Whether the text is an existing calendar date in the form YYYY-MM-DD; there is no year 0. */
function isDate(text: string): boolean {
  if (!/^\d{4}-\d{2}-\d{2}$/.test(text) || text.startsWith("0000")) return false;
  const day = new Date(`${text}T00:00:00Z`);
  return !Number.isNaN(day.getTime()) && day.toISOString().startsWith(text);
}
