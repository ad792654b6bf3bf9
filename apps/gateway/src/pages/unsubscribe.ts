import type { UnsubscribeHolder } from "@carillon/domain";

import { html } from "@carillon/kit";
import type { RawReply } from "../http/handler.ts";
import { page } from "../http/page.ts";

/** Makes the page of the link in a mail about missed messages. */
export function unsubscribePage({ organization, address }: UnsubscribeHolder): RawReply {
  return page({
    title: "No more mails about missed messages",
    body: html`<p>
        <b>${address}</b> gets mails about messages that were missed at ${organization}: direct
        messages, mentions, followed topics and channels.
      </p>
      <form method="post">
        <p><button type="submit">Send no more of them</button></p>
      </form>
      <p>Which messages you are mailed about can also be chosen in the settings of your app.</p>`,
  });
}

/** Makes the page after the mails have ended. */
export function unsubscribedPage({ organization, address }: UnsubscribeHolder): RawReply {
  return page({
    title: "No more mails about missed messages",
    body: html`<p>
      <b>${address}</b> gets no more mails about messages at ${organization}. The settings of your
      app turn them on again.
    </p>`,
  });
}
