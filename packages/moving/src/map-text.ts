/** Finds the new ids and paths of what an export refers to. */
export interface NewIds {
  /** Returns the new id of a record; undefined if the export has none. */
  of(kind: string, old: number): number | undefined;
  /** Returns the new path of a file below `/user_uploads/`; undefined if the export has none. */
  path(old: string): string | undefined;
  /** The address of the source, without a slash at the end; undefined if it is not known. */
  readonly sourceUrl: string | undefined;
  /** The new address of the organization, without a slash at the end. */
  readonly newUrl: string;
  /** The id of the organization at the source, and its new id. */
  readonly realm: { readonly old: number; readonly new: number };
}

const userMention = /(@_?\*\*[^*\n|]*)\|(\d{1,15})\*\*/g;
const messageLink = /(#\*\*[^*\n>]+>[^*\n]*)@(\d{1,15})\*\*/g;
const upload = /\/user_uploads\/(thumbnail\/)?([^\s()<>"'\]]+)/g;
const narrow = /#narrow\/[^\s()<>"'\]]+/g;
const avatar = /\/user_avatars\/(\d{1,15})\//g;

/**
 * Changes the references of a Markdown text: mentions with ids, links to messages, narrows, uploaded files and pictures. A
 * reference to something that the export does not have loses its id, because the id may be another thing's. Links to
 * other servers stay as they are.
 */
export function mapText(text: string, ids: NewIds): string {
  if (!/[|@#/]/.test(text)) return text;
  return withNewUrl(text, ids)
    .replaceAll(userMention, (_, before: string, id: string) => {
      const user = ids.of("users", Number(id));
      return user === undefined ? `${before}**` : `${before}|${user}**`;
    })
    .replaceAll(messageLink, (_, before: string, id: string) => {
      const message = ids.of("messages", Number(id));
      return message === undefined ? `${before}**` : `${before}@${message}**`;
    })
    .replaceAll(upload, (whole, thumbnail: string | undefined, path: string, at, within) => {
      const found = isOwnLink(within, at, ids) ? newPath(path, ids) : undefined;
      return found === undefined ? whole : `/user_uploads/${thumbnail ?? ""}${found}`;
    })
    .replaceAll(avatar, (whole, realm: string, at, within) =>
      Number(realm) === ids.realm.old && isOwnLink(within, at, ids)
        ? `/user_avatars/${ids.realm.new}/`
        : whole,
    )
    .replaceAll(narrow, (whole, at, within) =>
      isOwnLink(within, at, ids) ? mapFragment(whole, ids) : whole,
    );
}

/** Characters before a path in which the host is looked for, so that the cost does not grow with the text. */
const maxHost = 500;
const endOfLink = /[\s()<>"'\]]/;

/** Returns whether the path or fragment at a place of a text is a relative link, or follows the new address. */
function isOwnLink(text: string, at: number, { newUrl }: NewIds): boolean {
  const end = text[at - 1] === "/" ? at - 1 : at;
  if (text.endsWith(newUrl, end)) return true;
  // Whatever follows the name of a host is a link to another server, with or without a scheme.
  if (/[\p{L}\p{N}]/u.test(text.slice(0, end).at(-1) ?? "")) return false;
  const before = text.slice(Math.max(0, end - maxHost), end);
  const slashes = before.lastIndexOf("//");
  return slashes === -1 || endOfLink.test(before.slice(slashes));
}

/** Changes the address in links to the source. */
function withNewUrl(text: string, { sourceUrl, newUrl }: NewIds): string {
  if (sourceUrl === undefined || !text.includes(sourceUrl)) return text;
  let mapped = text;
  for (const path of ["/user_uploads/", "/user_avatars/", "/#narrow/"])
    mapped = mapped.replaceAll(`${sourceUrl}${path}`, `${newUrl}${path}`);
  return mapped;
}

/** Returns the new path of a file. A link may have its path encoded, a query, or a thumbnail's name after it. */
function newPath(path: string, ids: NewIds): string | undefined {
  const [plain = "", ...rest] = path.split(/(?=[?#])/);
  const tail = rest.join("");
  const found = pathOf(plain, ids);
  if (found !== undefined) return found + tail;
  const slash = plain.lastIndexOf("/");
  const folder = slash > 0 ? pathOf(plain.slice(0, slash), ids) : undefined;
  return folder === undefined ? undefined : `${folder}${plain.slice(slash)}${tail}`;
}

/** Returns the new path of a file, encoded if the old one is. Asks for both forms: the first pass only collects them. */
function pathOf(path: string, ids: NewIds): string | undefined {
  const text = decoded(path);
  const [plain, encoded] = [ids.path(path), text === path ? undefined : ids.path(text)];
  return plain ?? (encoded === undefined ? undefined : encodeURI(encoded));
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

const channelTerms = new Set(["channel", "stream", "channels", "streams"]);
const peopleTerms = new Set([
  "dm",
  "pm-with",
  "dm-including",
  "group-pm-with",
  "sender",
  "from",
  "mentions",
]);
const messageTerms = new Set(["near", "with", "id"]);

/** Changes the ids in a fragment such as `#narrow/channel/7-general/topic/lunch/near/12`. */
export function mapFragment(fragment: string, ids: NewIds): string {
  const [start = "", ...parts] = fragment.split("/");
  if (!/^#?narrow$/.test(start)) return fragment;
  const mapped = [start];
  for (let at = 0; at < parts.length; at += 2) {
    const term = parts[at]!;
    const operand = parts[at + 1];
    if (operand === undefined) {
      mapped.push(term);
      continue;
    }
    const kind = term.replace(/^-/, "");
    if (messageTerms.has(kind)) {
      const message = ids.of("messages", Number(/^\d{1,15}/.exec(operand)?.[0] ?? 0));
      // Without the message, the link leads to the conversation.
      if (message !== undefined) mapped.push(term, operand.replace(/^\d+/, String(message)));
    } else if (channelTerms.has(kind)) mapped.push(term, withIds(operand, "channels", ids));
    else if (peopleTerms.has(kind)) mapped.push(term, withIds(operand, "users", ids));
    else mapped.push(term, operand);
  }
  return mapped.join("/");
}

/** Changes the ids at the beginning of an operand such as `7-general` or `7,8-group`. An unknown one becomes 0. */
function withIds(operand: string, kind: string, ids: NewIds): string {
  return operand.replace(/^\d{1,15}(?:(?:,|%2C)\d{1,15})*(?=$|[-.%?])/i, (list) =>
    list
      .split(/,|%2C/i)
      .map((id) => ids.of(kind, Number(id)) ?? 0)
      .join(","),
  );
}
