import type { Page } from "playwright-core";

/**
 * A script that counts the elements that a page adds to its document, which is what it draws. Unlike the time that drawing
 * takes, the number does not depend on the machine.
 */
export const countAddedElements = `globalThis.addedElements = 0;
  new MutationObserver((records) => {
    for (const { addedNodes } of records)
      for (const node of addedNodes)
        if (node.nodeType === Node.ELEMENT_NODE) addedElements += 1 + node.querySelectorAll("*").length;
  }).observe(document, { childList: true, subtree: true });`;

/** Returns the number of elements that the page has added since the last call, and prints it. */
export async function addedElements(page: Page, what: string): Promise<number> {
  const added = await page.evaluate<number>(
    "(() => { const added = addedElements; addedElements = 0; return added; })()",
  );
  console.log(`        ${what}: ${added} elements`);
  return added;
}
