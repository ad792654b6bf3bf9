import { fileURLToPath } from "node:url";
import { bundleForBrowsers } from "@carillon/bundler";
import { readWebClient, type WebClient } from "@carillon/gateway";

const app = fileURLToPath(new URL("../../../apps/web", import.meta.url));

/**
 * Builds the browser client from its sources, for a gateway.
 * @param serverUrl the address that clients use
 */
export async function buildClient(serverUrl: string): Promise<WebClient> {
  await bundleForBrowsers(app);
  const files = await readWebClient();
  if (!files) throw new Error("the build has made no browser client");
  return { files, serverUrl };
}
