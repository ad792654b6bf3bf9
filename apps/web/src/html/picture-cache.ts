import type { Organization } from "../store/organization.ts";

/** Pictures that are kept in memory. A page of messages shows fewer. */
const most = 150;
/** Requests at once: browsers have six connections to a server, and the event stream needs one. */
const atOnce = 3;

/** Addresses of pictures in memory, by organization and path, the latest used last. */
const kept = new Map<string, string>();
let running = 0;
const waiting: Array<() => void> = [];

/**
 * Fetches the thumbnail of a picture with the account's key.
 * @param path below `/user_uploads/`
 * @returns an address in memory
 * @throws ApiError, or the reason of the signal
 */
export async function pictureOf(
  organization: Organization,
  path: string,
  signal: AbortSignal,
): Promise<string> {
  const key = `${organization.site} ${organization.me} ${path}`;
  const known = kept.get(key);
  if (known !== undefined) {
    kept.delete(key);
    kept.set(key, known);
    return known;
  }
  await begin();
  try {
    signal.throwIfAborted();
    const response = await read(organization, path, signal);
    const address = URL.createObjectURL(await response.blob());
    keep(key, address);
    return address;
  } finally {
    running--;
    waiting.shift()?.();
  }
}

function read({ client }: Organization, path: string, signal: AbortSignal): Promise<Response> {
  const thumbnail = "thumbnail/";
  return path.startsWith(thumbnail)
    ? client.readThumbnail({ address: path.slice(thumbnail.length) }, { signal })
    : client.readFile({ path_id: path }, { signal });
}

async function begin(): Promise<void> {
  if (running >= atOnce) await new Promise<void>((resolve) => waiting.push(resolve));
  running++;
}

/** Keeps an address, and frees the memory of the one that was not used for the longest time. */
function keep(key: string, address: string): void {
  const before = kept.get(key);
  if (before !== undefined) URL.revokeObjectURL(before);
  kept.delete(key);
  kept.set(key, address);
  const [oldest] = kept;
  if (kept.size <= most || !oldest) return;
  kept.delete(oldest[0]);
  URL.revokeObjectURL(oldest[1]);
}
