import { sizeText, html, type Html } from "@carillon/kit";
import type { StorageFigures } from "../readings/storage.ts";
import type { OrganizationStorage } from "../storage/list.ts";
import { facts, table, type Page } from "./layout.ts";
import { named } from "./names.ts";

const refreshSeconds = 60;

/** What the page on storage shows. */
export interface StorageView {
  /** Undefined if the database did not answer in time. */
  readonly figures: StorageFigures | undefined;
  readonly organizations: readonly OrganizationStorage[];
  /** Bytes that each organization may use; null if there is no quota. */
  readonly quota: number | null;
  /** Since the installation exists, by all workers together; null if unknown. */
  readonly unclaimedFiles: number | null;
  readonly deletedObjects: number | null;
}

/** Shows the uploaded files of each organization, and what recurring work has deleted. */
export function storagePage(view: StorageView): Page {
  const { figures, organizations, quota, unclaimedFiles, deletedObjects } = view;
  const columns = ["Organization", { n: "Files" }, { n: "Used" }, "Of the quota"];
  return {
    title: "Storage",
    refresh: refreshSeconds,
    body: [
      facts([
        ["Uploaded files", number(figures?.files)],
        ["Bytes of uploaded files", figures ? sizeText(figures.bytes) : "unknown"],
        ["Quota of an organization", quota === null ? "none" : sizeText(quota)],
        ["Unused objects waiting for their deletion", number(figures?.waiting)],
        ["Unused objects overdue for deletion", number(figures?.overdue)],
        ["Unclaimed files deleted so far", number(unclaimedFiles)],
        ["Unused objects deleted so far", number(deletedObjects)],
      ]),
      html`<h2>Organizations</h2>`,
      table(
        columns,
        organizations.map((one) => row(one, quota)),
        "No uploaded files.",
      ),
    ],
  };
}

function row(
  { realmId, realmName, bytes, files }: OrganizationStorage,
  quota: number | null,
): Html {
  const share =
    quota === null || quota === 0
      ? "no quota"
      : html`<progress max="${quota}" value="${Math.min(bytes, quota)}"></progress>
          ${Math.round((100 * bytes) / quota)} %`;
  return html`<tr data-key="storage-${realmId}">
    <td>${named(realmName, realmId)}</td>
    <td class="n">${number(files)}</td>
    <td class="n">${sizeText(bytes)}</td>
    <td>${share}</td>
  </tr>`;
}

const number = (value: number | null | undefined) => value?.toLocaleString("en") ?? "unknown";
