import { html, type HtmlValue, type Html } from "@carillon/kit";
import type { Criteria } from "../look-up/criteria.ts";
import type { AccountView, ChannelView } from "../look-up/find-places.ts";
import type { ScheduledView } from "../look-up/find-scheduled.ts";
import type { WithheldView } from "../look-up/find-withheld.ts";
import type { FoundMany } from "../look-up/look-up.ts";
import { table, type Page } from "./layout.ts";
import { channelOf, conditionOf, receiverOf, stateOf } from "./look-up.ts";
import { lookUpForm } from "./look-up-form.ts";
import { named } from "./names.ts";
import { relativeTime } from "./time.ts";

/** Shows the messages of an account, a channel, a time. */
export function foundManyPage(criteria: Criteria, found: FoundMany): Page {
  const { accounts, channels, messages, withheld } = found;
  return {
    title: "Look up",
    body: [
      lookUpForm(criteria),
      accounts === undefined ? "" : accountTable(accounts),
      channels === undefined ? "" : channelTable(channels),
      html`<h2>Scheduled messages and reminders</h2>
        <p class="soft">
          The next pending, latest failed and latest sent ones, at most fifty of each. Sent ones are
          searched among the latest five thousand messages there.
        </p>`,
      table(
        ["Message", "State", "Due", "Organization", "Sender", "To"],
        messages.map(messageRow),
        "None.",
      ),
      html`<h2>Withheld messages</h2>
        <p class="soft">
          Not sent, because a condition of their author held: the latest fifty of the last 30 days,
          among the latest five thousand of the account or, without an address, of all accounts.
        </p>`,
      table(
        ["Message", "Condition", "Withheld", "Organization", "Sender", "To"],
        withheld.map(withheldRow),
        "None.",
      ),
    ],
  };
}

function accountTable(accounts: readonly AccountView[]): HtmlValue {
  const rows = accounts.map(
    (account) =>
      html`<tr>
        <td>${named(account.name, account.id)}</td>
        <td>${account.email}</td>
        <td>${named(account.realmName, account.realmId)}</td>
        <td>${account.isBot ? "bot" : "person"}${account.isActive ? "" : ", deactivated"}</td>
      </tr>`,
  );
  return [
    html`<h2>Accounts</h2>`,
    table(["Account", "Address", "Organization", "Kind"], rows, "No account has this address."),
  ];
}

function channelTable(channels: readonly ChannelView[]): HtmlValue {
  const rows = channels.map(
    (channel) =>
      html`<tr>
        <td>${named(channel.name, channel.id)}${channel.isArchived ? " (archived)" : ""}</td>
        <td>${named(channel.realmName, channel.realmId)}</td>
      </tr>`,
  );
  return [
    html`<h2>Channels</h2>`,
    table(["Channel", "Organization"], rows, "No channel has this name."),
  ];
}

function messageRow(row: ScheduledView): Html {
  return html`<tr>
    <td><a href="/look-up?id=${row.id}">${row.id}</a><br />${row.kind}</td>
    <td class="why">
      ${stateOf(row)}${row.failureMessage === null ? "" : `: ${row.failureMessage}`}
    </td>
    <td class="time">${relativeTime(row.deliverAt, row.now)}</td>
    <td>${named(row.realmName, row.realmId)}</td>
    <td>
      ${named(row.senderName, row.senderId)}<br /><span class="soft">${row.senderEmail}</span>
    </td>
    <td>${receiverOf(row)}</td>
  </tr>`;
}

function withheldRow(row: WithheldView): Html {
  return html`<tr>
    <td><a href="/look-up?id=${row.id}">${row.id}</a></td>
    <td class="why">
      ${conditionOf(row)}${row.replyId === null ? "" : html`: message ${row.replyId}`}
    </td>
    <td class="time">${relativeTime(row.withheldAt, row.now)}</td>
    <td>${named(row.realmName, row.realmId)}</td>
    <td>
      ${named(row.senderName, row.senderId)}<br /><span class="soft">${row.senderEmail}</span>
    </td>
    <td>${channelOf(row)}</td>
  </tr>`;
}
