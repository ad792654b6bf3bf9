/** A condition that messages of a view meet, as `GET /messages` takes it. */
export interface Term {
  readonly operator: string;
  readonly operand: string | number | readonly number[];
  readonly negated?: boolean;
}

/** A page of the client. Its address is the fragment of the URL, so that people can link to it. */
export type Route =
  | { readonly page: "messages"; readonly terms: readonly Term[]; readonly near: number | null }
  | { readonly page: "drafts" }
  | { readonly page: "channels" }
  | { readonly page: "schedule" }
  | { readonly page: "organization"; readonly section: string }
  | { readonly page: "unknown" };

/** The view of all messages, which an empty address means. */
export const allMessages: Route = { page: "messages", terms: [], near: null };

/** Reads an address such as `#narrow/channel/5-general/topic/hello`. */
export function parseRoute(hash: string): Route {
  const [page = "", ...rest] = hash.replace(/^#?\/?/, "").split("/");
  switch (page) {
    case "":
    case "feed":
      return allMessages;
    case "narrow":
      return parseNarrow(rest) ?? { page: "unknown" };
    case "drafts":
    case "schedule":
      return { page };
    case "channels":
    case "streams":
      return { page: "channels" };
    case "scheduled":
      return { page: "schedule" };
    case "organization":
      return { page, section: decode(rest[0] ?? "") ?? "" };
    default:
      return { page: "unknown" };
  }
}

/** Returns the address of a page. */
export function hashOf(route: Route): string {
  switch (route.page) {
    case "messages": {
      if (route.terms.length === 0 && route.near === null) return "#feed";
      const parts = route.terms.flatMap(({ operator, operand, negated }) => [
        `${negated ? "-" : ""}${operator}`,
        typeof operand === "object" ? operand.join(",") : encode(String(operand)),
      ]);
      if (route.near !== null) parts.push("near", String(route.near));
      return `#narrow/${parts.join("/")}`;
    }
    case "organization":
      return route.section === "" ? "#organization" : `#organization/${encode(route.section)}`;
    case "unknown":
      return "#feed";
    default:
      return `#${route.page}`;
  }
}

/** Returns the operand of a term that is not negated. */
export function operandOf(terms: readonly Term[], operator: string): Term["operand"] | undefined {
  return terms.find((term) => term.operator === operator && !term.negated)?.operand;
}

const aliases: Readonly<Record<string, string>> = {
  stream: "channel",
  "pm-with": "dm",
  "group-pm-with": "dm-including",
  with: "near",
};

/** Returns undefined if the parts are not pairs of an operator and an operand. */
function parseNarrow(given: readonly string[]): Route | undefined {
  const terms: Term[] = [];
  let near: number | null = null;
  // An operand may be empty: a topic without a name.
  const hasSlash = given.length % 2 !== 0 && given.at(-1) === "";
  const parts = hasSlash ? given.slice(0, -1) : given;
  if (parts.length % 2 !== 0) return undefined;
  for (let i = 0; i < parts.length; i += 2) {
    const [, minus = "", name = ""] = /^(-?)(.*)$/.exec(parts[i] ?? "") ?? [];
    const operator = aliases[name] ?? name;
    const operand = parseOperand(operator, parts[i + 1] ?? "");
    if (operand === undefined) return undefined;
    if (operator === "near") near = Number(operand);
    else terms.push({ operator, operand, ...(minus && { negated: true }) });
  }
  return { page: "messages", terms, near };
}

/** Operators whose operands are ids, which a name may follow: `5-general`. */
const byId = new Set(["channel", "sender", "dm-including", "mentions", "near", "id"]);

function parseOperand(operator: string, text: string): Term["operand"] | undefined {
  if (operator === "dm") {
    const [ids] = /^\d+(?:,\d+)*(?=-|$)/.exec(text) ?? [];
    return ids?.split(",").map(Number);
  }
  const decoded = decode(text);
  if (decoded === undefined || !byId.has(operator)) return decoded;
  const [id] = /^\d{1,16}(?=-|$)/.exec(decoded) ?? [];
  return id === undefined ? undefined : Number(id);
}

/** The protocol's encoding: percent signs are dots, because some programs decode percent signs of fragments. */
function encode(text: string): string {
  return encodeURIComponent(text)
    .replaceAll(".", "%2E")
    .replaceAll(/[!'()*]/g, (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`)
    .replaceAll("%", ".");
}

/** Returns undefined for a text that is not in the encoding. Percent signs are accepted, too. */
function decode(text: string): string | undefined {
  try {
    return decodeURIComponent(text.replaceAll(/\.(?=[\da-f]{2})/gi, "%"));
  } catch {
    return undefined;
  }
}
