import { html } from "@carillon/kit";
import type { RawReply } from "../http/handler.ts";
import { page } from "../http/page.ts";

/** Makes the page of the mailed link: its button sends `POST` to the same URL, without a script. */
export function newEmailPage({
  organization,
  oldAddress,
  newAddress,
}: {
  readonly organization: string;
  readonly oldAddress: string;
  readonly newAddress: string;
}): RawReply {
  return page({
    title: "Confirm your new e-mail address",
    body: html`<p>
        The account <b>${oldAddress}</b> at ${organization} is to have the e-mail address
        <b>${newAddress}</b>.
      </p>
      <form method="post"><button type="submit">Confirm the address</button></form>
      <p>If you have not asked for this, close the page: nothing changes.</p>`,
  });
}

/** Makes the page after the confirmation. */
export function confirmedEmailPage(address: string): RawReply {
  return page({
    title: "Your e-mail address is confirmed",
    body: html`<p>Log in with <b>${address}</b> from now on.</p>`,
  });
}
