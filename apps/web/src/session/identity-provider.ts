import { Client } from "@carillon/client";
import { signal } from "@preact/signals";
import { navigate } from "../navigation.ts";
import { allMessages } from "../route.ts";
import { texts } from "../texts.ts";
import { accounts } from "./accounts.ts";
import { decryptKey, makePad, readHandOver } from "./one-time-pad.ts";
import { siteOf } from "./site.ts";

/** Storage key of the one-time pad until the browser comes back. Each tab has its own pad. */
const padName = "carillon:one-time-pad";

/** Why the last sign-in at the identity provider has failed. */
export const signInProblem = signal<string | undefined>(undefined);

/**
 * Goes to the identity provider. The server sends the browser back to the client, with the API key encrypted by a one-time
 * pad: the address stays in the history of the browser.
 * @param loginUrl `login_url` of `GET /server_settings`
 */
export function beginSignIn(site: string, loginUrl: string): void {
  const pad = makePad();
  try {
    sessionStorage.setItem(padName, pad);
  } catch {
    signInProblem.value = texts.session.noStorage;
    return;
  }
  location.assign(`${site}${loginUrl}?${new URLSearchParams({ web_client_otp: pad }).toString()}`);
}

/** Finishes a sign-in if the address hands a key over, and removes the key from the address. */
export async function completeSignIn(): Promise<void> {
  const handOver = readHandOver(location.hash);
  if (!handOver) return;
  navigate(allMessages, { replace: true });
  const apiKey = decryptKey(handOver.encrypted, takePad());
  // A link from another person has no key that this tab can decrypt.
  if (apiKey === undefined) {
    signInProblem.value = texts.session.otherTab;
    return;
  }
  const site = siteOf(document);
  const { email, userId } = handOver;
  try {
    const { user_id } = await new Client({ site, email, apiKey, retries: 1 }).getOwnUser();
    if (user_id === userId) accounts.add({ site, email, apiKey, userId });
  } catch {
    signInProblem.value = texts.session.noAnswer;
  }
}

function takePad(): string {
  try {
    const pad = sessionStorage.getItem(padName) ?? "";
    sessionStorage.removeItem(padName);
    return pad;
  } catch {
    return "";
  }
}
