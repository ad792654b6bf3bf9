import type { Locator, Page } from "playwright-core";

/** The sizes at which the browser client is tested. */
export const sizes = [
  { size: "wide", title: "on a wide screen", viewport: { width: 1_200, height: 800 } },
  { size: "phone", title: "on a phone", viewport: { width: 390, height: 780 } },
] as const;

export const messageBox = (page: Page): Locator =>
  page.getByRole("textbox", { name: "Message", exact: true });

export const sendButton = (page: Page): Locator =>
  page.getByRole("button", { name: "Send", exact: true });

export const messageList = (page: Page): Locator => page.getByRole("log", { name: "Messages" });

export const inList = (page: Page, text: string): Locator =>
  messageList(page).getByText(text, { exact: true });

/** Returns the sidebar, after opening it where it is a drawer. */
export async function sidebar(page: Page): Promise<Locator> {
  const bar = page.getByRole("navigation", { name: "Navigation" });
  const button = page.getByRole("button", { name: "Menu", exact: true });
  const isDrawer = await button.isVisible();
  if (isDrawer && (await button.getAttribute("aria-expanded")) === "false") await button.click();
  await bar.waitFor();
  return bar;
}

/** Chooses an entry of the menu that a button opens, by the keyboard. */
export async function choose(button: Locator, entry: string): Promise<void> {
  const page = button.page();
  // A key that is pressed while a dialog is still closing goes to the dialog.
  await page.locator("dialog[open]").waitFor({ state: "detached" });
  await button.press("Enter");
  await page.locator("[role=menuitem]:focus").waitFor();
  await page.getByRole("menuitem", { name: entry, exact: true }).press("Enter");
}

/** Chooses an entry of the menu of the message with this text. */
export async function chooseFor(page: Page, text: string, entry: string): Promise<void> {
  const message = messageList(page).getByRole("article").filter({ hasText: text });
  await choose(message.getByRole("button", { name: "More", exact: true }), entry);
}
