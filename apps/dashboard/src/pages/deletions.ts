import { html, type HtmlValue, type Html } from "@carillon/kit";
import type { DeletionView } from "../deletions/list.ts";
import { table, type Page } from "./layout.ts";
import { named } from "./names.ts";
import { moment, seconds } from "../spans.ts";

const refreshSeconds = 5;

/** Shows the progress of deleting the messages of deactivated accounts. */
export function deletionsPage(deletions: readonly DeletionView[]): Page {
  const columns = [
    "Deletion",
    "Organization",
    "Account",
    "Requested by",
    "Messages in",
    "Requested",
    "Progress",
    { n: "Steps" },
    "State",
  ];
  return {
    title: "Deletions",
    refresh: refreshSeconds,
    body: table(columns, deletions.map(row), "No deletions."),
  };
}

function row(deletion: DeletionView): Html {
  const { id, intentId, planned, deleted } = deletion;
  return html`<tr data-key="deletion-${id}">
    <td>${intentId === null ? id : html`<a href="/look-up?id=${intentId}">${id}</a>`}</td>
    <td>${named(deletion.realmName, deletion.realmId)}</td>
    <td>${named(deletion.userName, deletion.userId)}</td>
    <td>${named(deletion.actorName, deletion.actorId)}</td>
    <td>${places(deletion)}</td>
    <td>${moment(deletion.createdAt, deletion.now)}</td>
    <td>
      <progress max="${Math.max(1, planned)}" value="${progress(deletion)}"></progress>
      ${deleted.toLocaleString("en")} of ${planned.toLocaleString("en")}
    </td>
    <td class="n">${deletion.done} of ${deletion.steps}</td>
    ${state(deletion)}
  </tr>`;
}

function progress({ finishedAt, planned, deleted }: DeletionView): number {
  return finishedAt === null ? Math.min(planned, deleted) : Math.max(1, planned);
}

function places({ publicChannels, privateChannels, direct }: DeletionView): string {
  const names = [
    publicChannels ? "public channels" : "",
    privateChannels ? "private channels" : "",
    direct ? "direct conversations" : "",
  ];
  return names.filter((name) => name !== "").join(", ");
}

function state({ finishedAt, createdAt, state: work, lastError }: DeletionView): HtmlValue {
  if (finishedAt !== null) return html`<td>finished after ${seconds(finishedAt - createdAt)}</td>`;
  const why = lastError === null ? "" : `: ${lastError}`;
  if (work === null) return html`<td class="lost">discarded${why}</td>`;
  return work === "dead"
    ? html`<td class="lost"><a href="/dead-letters">dead letter</a>${why}</td>`
    : html`<td class="why">running${why}</td>`;
}
