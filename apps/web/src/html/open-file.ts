import type { Organization } from "../store/organization.ts";

/**
 * Opens an uploaded file in a new tab, by an address that is valid for a minute. The tab is opened first: after an
 * answer of the server, browsers would block it.
 */
export async function openFile(organization: Organization, pathId: string): Promise<void> {
  const tab = open("", "_blank");
  if (tab) tab.opener = null;
  try {
    const address = await temporaryAddress(organization, pathId);
    if (tab) tab.location.href = address;
    else location.href = address;
  } catch (error) {
    tab?.close();
    throw error;
  }
}

/** Returns an address of a file that needs no credentials for a minute. @throws ApiError */
export async function temporaryAddress(
  { client, site }: Organization,
  pathId: string,
): Promise<string> {
  const { url } = await client.getFileTemporaryUrl({ path_id: decoded(pathId) });
  return site + url;
}

/** Links have the path percent-encoded if the author wrote it so; the client encodes it again. */
function decoded(pathId: string): string {
  try {
    return decodeURIComponent(pathId);
  } catch {
    return pathId;
  }
}
