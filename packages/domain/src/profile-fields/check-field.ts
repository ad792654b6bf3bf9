import { errors, maxProfileFieldData } from "@carillon/contract";
import { isLongerThan } from "@carillon/kit";
import { checkVisible, type ProfileField } from "@carillon/model";

/** A requested field. */
interface WantedField extends Omit<ProfileField, "id" | "order" | "fieldData"> {
  readonly fieldData: FieldData;
}

/** The requested properties of a new or existing field; undefined for the default or for no change. */
export type FieldChanges = {
  readonly [Name in Exclude<keyof WantedField, "fieldType">]: WantedField[Name] | undefined;
};

/** Applies the changes to the field. */
export function changedField(field: WantedField, changes: FieldChanges): WantedField {
  const given = Object.entries(changes).filter(([, value]) => value !== undefined);
  return { ...field, ...(Object.fromEntries(given) as Partial<WantedField>) };
}

const maxName = 40;
const maxHint = 80;
/** Maximum fields in the profile summary of clients. */
const maxInSummary = 2;

/** The types of custom profile fields, as `custom_profile_field_types` (settings-and-profile-fields.md §2.1). */
export const profileFieldTypes = {
  SHORT_TEXT: { id: 1, name: "Short text" },
  LONG_TEXT: { id: 2, name: "Paragraph" },
  SELECT: { id: 3, name: "Dropdown" },
  DATE: { id: 4, name: "Date" },
  URL: { id: 5, name: "Link" },
  USER: { id: 6, name: "Users" },
  EXTERNAL_ACCOUNT: { id: 7, name: "External account" },
  PRONOUNS: { id: 8, name: "Pronouns" },
} as const;

const { USER, SHORT_TEXT, EXTERNAL_ACCOUNT } = profileFieldTypes;

/**
 * Checks a field and returns it as it is stored (settings-and-profile-fields.md §2.3).
 * @param others the organization's other fields; its row must be locked
 * @param storedName the current name, which may contain characters that new names may not
 * @throws ApiError `BAD_REQUEST`
 */
export function checkField(
  wanted: WantedField,
  others: readonly ProfileField[],
  storedName?: string,
): Omit<ProfileField, "id" | "order"> {
  const { fieldType } = wanted;
  const fieldData = checkFieldData(fieldType, wanted.fieldData);
  const account = externalAccountOf(fieldType, wanted.fieldData);
  const { name, hint } = account ?? checkTexts(wanted);
  if (name !== storedName) checkVisible("name", name);
  if (others.some((other) => other.name === name))
    throw errors.badRequest(`There is already a profile field named ${name}`);
  if (wanted.displayInProfileSummary) checkSummary(fieldType, others);
  if (wanted.useForUserMatching && fieldType !== SHORT_TEXT.id && fieldType !== EXTERNAL_ACCOUNT.id)
    throw errors.badRequest("use_for_user_matching is for short texts and external accounts only");
  return { ...wanted, name, hint, fieldData };
}

function checkTexts({ name: text, hint }: WantedField): { name: string; hint: string } {
  const name = text.trim();
  if (name === "") throw errors.badRequest("name must not be blank");
  if (isLongerThan(name, maxName))
    throw errors.badRequest(`name must not have more than ${maxName} characters`);
  if (isLongerThan(hint, maxHint))
    throw errors.badRequest(`hint must not have more than ${maxHint} characters`);
  return { name, hint };
}

function checkSummary(fieldType: number, others: readonly ProfileField[]): void {
  if (fieldType === USER.id)
    throw errors.badRequest("A field of users cannot be displayed in the profile summary");
  if (others.filter((other) => other.displayInProfileSummary).length >= maxInSummary)
    throw errors.badRequest(
      `Only ${maxInSummary} fields can be displayed in the profile summary: take one out first`,
    );
}

/** The configuration of a field, as sent or stored. */
type FieldData = Readonly<Record<string, unknown>>;

/**
 * Checks the configuration and returns it as JSON text (settings-and-profile-fields.md §2.3); empty for a type without
 * configuration, whatever was sent.
 * @throws ApiError `BAD_REQUEST`
 */
function checkFieldData(fieldType: number, given: FieldData): string {
  const { SELECT, EXTERNAL_ACCOUNT } = profileFieldTypes;
  if (fieldType !== SELECT.id && fieldType !== EXTERNAL_ACCOUNT.id) return "";
  const text = JSON.stringify(fieldType === SELECT.id ? checkChoices(given) : checkAccount(given));
  if (isLongerThan(text, maxProfileFieldData))
    throw errors.badRequest(`field_data must not have more than ${maxProfileFieldData} characters`);
  return text;
}

/** Parses a stored configuration; the inverse of {@link checkFieldData}. */
export function parseFieldData(text: string): FieldData {
  return text === "" ? {} : (JSON.parse(text) as FieldData);
}

/** Returns the predefined site of an external account's field; undefined for other fields. */
export function externalAccountOf(fieldType: number, { subtype }: FieldData) {
  if (fieldType !== profileFieldTypes.EXTERNAL_ACCOUNT.id || typeof subtype !== "string")
    return undefined;
  return Object.hasOwn(externalAccounts, subtype) ? externalAccounts[subtype] : undefined;
}

function checkChoices(given: FieldData): FieldData {
  const texts = new Set<unknown>();
  for (const [key, choice] of Object.entries(given)) {
    if (isBlank(key)) throw errors.badRequest("field_data has a choice with a blank key");
    if (!isObject(choice) || Object.keys(choice).toSorted().join() !== "order,text")
      throw errors.badRequest(
        `The choice ${key} of field_data must have text and order, and no more`,
      );
    if (isBlank(choice["text"]) || isBlank(choice["order"]))
      throw errors.badRequest(`text and order of the choice ${key} must be strings, and not blank`);
    if (texts.has(choice["text"]))
      throw errors.badRequest("field_data must not have two choices with the same text");
    texts.add(choice["text"]);
  }
  if (texts.size === 0) throw errors.badRequest("field_data must have a choice for a dropdown");
  return given;
}

const placeholder = "%(username)s";

function checkAccount(given: FieldData): FieldData {
  const { subtype, url_pattern: pattern, ...more } = given;
  if (isBlank(subtype)) throw errors.badRequest("field_data must have a subtype, a string");
  if (Object.keys(more).length > 0)
    throw errors.badRequest("field_data must have nothing but subtype and url_pattern");
  if (pattern !== undefined && !isPattern(pattern))
    throw errors.badRequest(
      `url_pattern must be an address of http, https, ftp or ftps with ${placeholder} in it once`,
    );
  if (externalAccountOf(profileFieldTypes.EXTERNAL_ACCOUNT.id, given)) return { subtype };
  if (subtype !== "custom")
    throw errors.badRequest("subtype must be custom or a name of realm_default_external_accounts");
  return pattern === undefined ? { subtype } : { subtype, url_pattern: pattern };
}

function isPattern(pattern: unknown): boolean {
  if (typeof pattern !== "string") return false;
  const parts = pattern.split(placeholder);
  return parts.length === 2 && isLink(parts.join("username"));
}

function isBlank(value: unknown): boolean {
  return typeof value !== "string" || value.trim() === "";
}

function isObject(value: unknown): value is FieldData {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** A predefined site for fields of the type external account. */
interface ExternalAccount {
  /** Name of the site. */
  readonly text: string;
  /** Name of the field. */
  readonly name: string;
  readonly hint: string;
  /** A URL that contains `%(username)s`; empty if accounts have none. */
  readonly url_pattern: string;
}

function account(text: string, url_pattern: string, options: Partial<ExternalAccount> = {}) {
  return { text, name: `${text} username`, hint: "", url_pattern, ...options };
}

/** The predefined sites by subtype, as `realm_default_external_accounts` (settings-and-profile-fields.md §2.4). */
export const externalAccounts: Readonly<Record<string, ExternalAccount>> = {
  behance: account("Behance", "https://www.behance.net/%(username)s"),
  bitbucket: account("Bitbucket", "https://bitbucket.org/%(username)s"),
  bluesky: account("Bluesky", "https://bsky.app/profile/%(username)s", {
    name: "Bluesky handle",
    hint: "Without the @, such as name.bsky.social",
  }),
  codeberg: account("Codeberg", "https://codeberg.org/%(username)s"),
  discord: account("Discord", ""),
  dribbble: account("Dribbble", "https://dribbble.com/%(username)s"),
  facebook: account("Facebook", "https://www.facebook.com/%(username)s"),
  github: account("GitHub", "https://github.com/%(username)s"),
  gitlab: account("GitLab", "https://gitlab.com/%(username)s"),
  instagram: account("Instagram", "https://www.instagram.com/%(username)s"),
  linkedin: account("LinkedIn", "https://www.linkedin.com/in/%(username)s"),
  mastodon: account("Mastodon", "%(username)s", {
    name: "Mastodon profile",
    hint: "Its whole address",
  }),
  medium: account("Medium", "https://medium.com/@%(username)s"),
  pinterest: account("Pinterest", "https://www.pinterest.com/%(username)s"),
  reddit: account("Reddit", "https://www.reddit.com/user/%(username)s"),
  snapchat: account("Snapchat", "https://www.snapchat.com/add/%(username)s"),
  threads: account("Threads", "https://www.threads.com/@%(username)s"),
  tiktok: account("TikTok", "https://www.tiktok.com/@%(username)s"),
  twitch: account("Twitch", "https://www.twitch.tv/%(username)s"),
  x: account("X", "https://x.com/%(username)s"),
  youtube: account("YouTube", "https://www.youtube.com/@%(username)s"),
};

/** The maximum length that browsers and upstream accept. */
const maxLength = 2_048;

const absolute = /^(?:https?|ftps?):\/\/[^\s\p{Cc}/?#\\]+(?:[/?#][^\s\p{Cc}]*)?$/iu;

/** Whether the text is an absolute URL of http, https, ftp or ftps (settings-and-profile-fields.md §2.1). */
export function isLink(text: string): boolean {
  return text.length <= maxLength && absolute.test(text) && URL.canParse(text);
}
