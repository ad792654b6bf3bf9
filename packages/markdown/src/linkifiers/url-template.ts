/** How an operator expands its variables (RFC 6570, appendix A). */
interface Operator {
  readonly first: string;
  readonly between: string;
  readonly named: boolean;
  /** Text after the name of an empty variable. */
  readonly ifEmpty: string;
  /** Whether reserved characters stay unescaped. */
  readonly keepsReserved: boolean;
}

const plain = { first: "", between: ",", named: false, ifEmpty: "", keepsReserved: false };
const OPERATORS: ReadonlyMap<string, Operator> = new Map([
  ["", plain],
  ["+", { ...plain, keepsReserved: true }],
  ["#", { ...plain, first: "#", keepsReserved: true }],
  [".", { ...plain, first: ".", between: "." }],
  ["/", { ...plain, first: "/", between: "/" }],
  [";", { ...plain, first: ";", between: ";", named: true }],
  ["?", { ...plain, first: "?", between: "&", named: true, ifEmpty: "=" }],
  ["&", { ...plain, first: "&", between: "&", named: true, ifEmpty: "=" }],
]);

const EXPRESSION = /\{([+#./;?&]?)([^{}]*)\}/g;
const VARIABLE = /^([^:*]+)(?::(\d{1,4})|\*)?$/;
const RESERVED = /%[0-9a-f]{2}|[:/?#[\]@!$&'()*+,;=]/gi;

const EXPRESSIONS = /^[+#./;?&]?[\w%.]+(?::[1-9]\d{0,3}|\*)?(?:,[\w%.]+(?::[1-9]\d{0,3}|\*)?)*$/;

/** Lists the variables of a URI template (RFC 6570) once each; undefined if it is malformed. */
export function templateVariables(template: string): string[] | undefined {
  const parts = template.split(/\{([^{}]*)\}/);
  const expressions = parts.filter((_, n) => n % 2 === 1);
  const isTemplate =
    parts.every((part, n) => n % 2 === 1 || !/[{}]/.test(part)) &&
    expressions.every((expression) => EXPRESSIONS.test(expression));
  if (!isTemplate) return undefined;
  const names = expressions.flatMap((expression) =>
    expression
      .replace(/^[+#./;?&]/, "")
      .split(",")
      .map((variable) => variable.replace(/[:*].*$/, "")),
  );
  return [...new Set(names)];
}

/** Expands a URI template (RFC 6570) with text values; variables without a value are omitted. */
export function expandUrl(template: string, values: Readonly<Record<string, string>>): string {
  return template.replace(EXPRESSION, (_all, sign: string, names: string) => {
    const operator = OPERATORS.get(sign) ?? plain;
    const parts = names.split(",").flatMap((name) => variable(name, operator, values));
    return parts.length === 0 ? "" : operator.first + parts.join(operator.between);
  });
}

function variable(
  spec: string,
  { named, ifEmpty, keepsReserved }: Operator,
  values: Readonly<Record<string, string>>,
): string[] {
  const [, name = "", length] = VARIABLE.exec(spec.trim()) ?? [];
  const value = Object.hasOwn(values, name) ? values[name] : undefined;
  if (value === undefined) return [];
  const cut = length === undefined ? value : Array.from(value).slice(0, Number(length)).join("");
  const text = keepsReserved ? encodeAround(cut) : encode(cut);
  if (!named) return [text];
  return [text === "" ? name + ifEmpty : `${name}=${text}`];
}

/** Percent-encodes all but letters, digits and `- . _ ~`. */
function encode(text: string): string {
  return encodeURIComponent(text).replace(
    /[!'()*]/g,
    (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}

/** Percent-encodes as {@link encode}, but keeps reserved characters and existing escapes. */
function encodeAround(text: string): string {
  const kept = text.match(RESERVED) ?? [];
  return text
    .split(RESERVED)
    .reduce((all, part, n) => all + (kept[n - 1] ?? "") + encode(part), "");
}
