import type { UrlOption } from "@carillon/domain";

/** Query parameters that several integrations have (bot-platform.md §1.1). */

export const branches: UrlOption = {
  key: "branches",
  label: "Branches whose pushes are shown, separated by commas; empty for all",
  validator: "check_string",
};

export const editResolved: UrlOption = {
  key: "edit_resolved",
  label: "Edit the message of an alert when it is resolved",
  validator: "check_bool",
};
