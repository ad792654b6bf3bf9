import {
  type Account,
  type ProfileField,
  type Sight,
  audienceSeeing,
  fullSight,
  loadProfileFields,
  personUpdated,
} from "@carillon/model";
import { bounds, errors, type NewEvent } from "@carillon/contract";
import { column, statement, type Tx } from "@carillon/db";
import { renderDescription, RenderLimitError } from "@carillon/markdown";

import { checkValue, isRemoval, type WantedValue } from "./check-value.ts";
import { profileFieldTypes } from "./field-types.ts";

/** What a custom profile field is to say of an account. */
export interface ProfileEntry {
  readonly id: number;
  readonly value: WantedValue;
}

interface NewValue {
  readonly fieldId: number;
  /** Null where there is to be none. */
  readonly value: string | null;
  readonly renderedValue: string | null;
}

/**
 * The values that the account is to have, those left out that it has already. The group graph must be held, so that
 * whom a value names stays active, and so must the organization, so that the fields stay.
 * @param entries the last one of a field counts
 * @param by which fields may be edited, of each, and whom a field may name: those who are seen by who changes it
 * @throws ApiError `BAD_REQUEST`
 */
export async function checkProfileValues(
  tx: Tx,
  target: Account,
  entries: readonly ProfileEntry[],
  {
    mayEdit = () => true,
    sight = fullSight,
  }: { readonly mayEdit?: (field: ProfileField) => boolean; readonly sight?: Sight } = {},
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
    if (!mayEdit(field))
      throw errors.badRequest(`${field.name} is for administrators of the organization to change`);
    const text = isRemoval(value) ? null : checkValue(field, value);
    if (typeof value === "object" && value !== null) for (const userId of value) named.add(userId);
    wanted.set(id, { fieldId: id, value: text, renderedValue: rendered(field, text) });
  }
  await checkArePeople(tx, target.realmId, sight, [...named]);
  return [...wanted.values()].filter(
    ({ fieldId, value }) => value !== (stored.get(fieldId) ?? null),
  );
}

const ownValues = statement({
  name: "profile-values",
  text: `SELECT field_id AS "fieldId", value FROM custom_profile_field_values WHERE user_id = $1`,
  row: { fieldId: column.int, value: column.text },
});

const activePeople = statement({
  name: "active-people-among",
  text: `SELECT count(*)::int AS count FROM users
    WHERE realm_id = $1 AND id = ANY($2::int[]) AND is_active AND NOT is_bot`,
  row: { count: column.int },
});

/** @throws ApiError `BAD_REQUEST` */
async function checkArePeople(
  tx: Tx,
  realmId: number,
  { sees }: Sight,
  ids: readonly number[],
): Promise<void> {
  if (ids.length === 0) return;
  const found = await tx.first(activePeople, [realmId, ids]);
  if (found?.count !== ids.length || !ids.every((id) => sees({ id, isBot: false })))
    throw errors.badRequest(
      "A field of users takes active people of the organization only, no bots",
    );
}

function rendered({ name, fieldType }: ProfileField, text: string | null): string | null {
  const { SHORT_TEXT, LONG_TEXT } = profileFieldTypes;
  if (text === null || (fieldType !== SHORT_TEXT.id && fieldType !== LONG_TEXT.id)) return null;
  const html = htmlOf(text);
  if (html === undefined || html.length > bounds.profileHtml)
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

/** Stores what {@link checkProfileValues} made. @returns what to tell */
export async function storeProfileValues(
  tx: Tx,
  account: Account,
  values: readonly NewValue[],
): Promise<NewEvent[]> {
  if (values.length === 0) return [];
  const { id: userId } = account;
  const audience = await audienceSeeing(tx, account);
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
