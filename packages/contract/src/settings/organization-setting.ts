import * as z from "zod";
import { form, type Range } from "../primitives/form.ts";
import { maxId } from "../primitives/ids.ts";
import { oneInteger } from "../primitives/one-integer.ts";
import { Parameter, Unusable } from "../primitives/parameter.ts";

/** A value of an organization's setting, in the wire format. */
export type OrganizationSettingValue = boolean | number | string | null;

/** A setting of an organization that is not a permission of groups, as it is declared. */
export interface OrganizationSetting<
  T extends OrganizationSettingValue = OrganizationSettingValue,
> {
  /** The parameter of `PATCH /realm`. It refuses all values that can be refused without the database. */
  readonly parameter: Parameter<T>;
  /** The value of a new organization: the default of the column. Undefined if the creation of an organization requires a value. */
  readonly initial: T | undefined;
  /** The column of `realms`; the setting's name unless given. */
  readonly column?: string;
  /** The value for which the column is NULL; null unless given. */
  readonly nullColumn?: T;
  /** Only owners may change it. */
  readonly ownersOnly?: true;
  /** What kind of thing the value identifies. The domain checks that it exists. */
  readonly names?: "channel" | "language";
  /** The schema of a changed value in the answer. */
  readonly answer: z.ZodType;
}

export function bool(initial: boolean): OrganizationSetting<boolean> {
  return { parameter: form.bool(), initial, answer: z.boolean() };
}

/** Declares a whole number: from 0 unless the range says otherwise, and not greater than its column can hold. */
export function int(initial: number, range: Range = {}): OrganizationSetting<number> {
  const parameter = form.int({ min: 0, max: maxId, ...range });
  return { parameter, initial, answer: z.int() };
}

/** Declares a number that is one of the listed ones. */
export function intOf(initial: number, allowed: readonly number[]): OrganizationSetting<number> {
  return { parameter: oneInteger(allowed), initial, answer: z.int() };
}

/** The answer does not repeat texts. */
const updated = z.literal("updated");

interface TextOptions {
  /** Maximum code points, which the column holds. */
  readonly max: number;
  /** Whether a text without visible characters is refused. */
  readonly required?: true;
}

/** Declares a text. White space around it is removed. */
export function text(
  initial: string | undefined,
  { max, required }: TextOptions,
): OrganizationSetting<string> {
  const { decode, ...codec } = form.text().codec;
  const parameter = form
    .custom({
      ...codec,
      decode(given) {
        const value = decode(given).trim();
        if (required && value === "") throw new Unusable("must not be blank");
        // A code point has one or two UTF-16 units.
        if (value.length > 2 * max || Array.from(value).length > max)
          throw new Unusable(`must not have more than ${max} characters`);
        return value;
      },
    })
    .describe(required ? `1 to ${max} characters.` : `At most ${max} characters.`);
  return { parameter, initial, answer: updated };
}

/** Declares a text that is one of the listed ones. */
export function textOf<const Values extends readonly [string, ...string[]]>(
  initial: Values[number],
  allowed: Values,
): OrganizationSetting<Values[number]> {
  return { parameter: form.oneOf(...allowed), initial, answer: updated };
}

/** Declares the tag of a language, such as `de` or `pt-br`. */
export function language(initial: string): OrganizationSetting<string> {
  return { parameter: form.text(), initial, names: "language", answer: updated };
}

/** Declares the ID of a channel; −1 for none, which is NULL in the column. */
export function channelId(column: string): OrganizationSetting<number> {
  const parameter = form
    .int({ min: -1, max: maxId })
    .describe("ID of a channel that the caller sees and that is not archived; -1 for none.");
  return { parameter, initial: -1, column, nullColumn: -1, names: "channel", answer: z.int() };
}

/** Declares seconds after the sending of a message; null for unlimited. */
export function secondsOrUnlimited(initial: number): OrganizationSetting<number | null> {
  const codec = form.intOr(["unlimited"], { min: 1, max: maxId });
  const parameter = mapped(codec, (value) => (value === "unlimited" ? null : value));
  return { parameter, initial, answer: z.int().nullable() };
}

/** Declares days; −1 for unlimited, which is NULL in the column. */
export function daysOrUnlimited(): OrganizationSetting<number> {
  const codec = form.intOr(["unlimited"], { min: 1, max: maxId });
  const parameter = mapped(codec, (value) => (value === "unlimited" ? -1 : value));
  return { parameter, initial: -1, nullColumn: -1, answer: z.int() };
}

/** Declares the address of a web page; null for the server's default, which is sent as `default`. */
export function urlOrDefault({
  max,
}: {
  readonly max: number;
}): OrganizationSetting<string | null> {
  const parameter = form
    .custom<string | null>({
      schema: { type: "string" },
      json: false,
      decode(given) {
        if (given === "default" || given === '"default"') return null;
        if (given.length > max || !isWebAddress(given))
          throw new Unusable(
            `must be an http or https URL of at most ${max} characters, or default`,
          );
        return given;
      },
    })
    .describe(`An http or https URL of at most ${max} characters, or \`default\`.`);
  return { parameter, initial: null, answer: updated.nullable() };
}

function isWebAddress(text: string): boolean {
  return /^https?:\/\/[!-~]+$/i.test(text) && URL.canParse(text);
}

function mapped<From, To>({ codec }: Parameter<From>, to: (value: From) => To): Parameter<To> {
  const { schema, json } = codec;
  return form.custom({ schema, json, decode: (given) => to(codec.decode(given)) });
}

/** Declares a setting that only owners may change. */
export function ownersOnly<T extends OrganizationSettingValue>(
  setting: OrganizationSetting<T>,
): OrganizationSetting<T> {
  return { ...setting, ownersOnly: true };
}

/** Adds a sentence to the parameter's description in the API reference. */
export function about<T extends OrganizationSettingValue>(
  sentence: string,
  setting: OrganizationSetting<T>,
): OrganizationSetting<T> {
  const { description } = setting.parameter.presence;
  const parameter = setting.parameter.describe([description, sentence].filter(Boolean).join(" "));
  return { ...setting, parameter };
}
