import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import type { AxeResults } from "axe-core";
import type { Page } from "playwright-core";

const source = createRequire(import.meta.url).resolve("axe-core/axe.min.js");

/** Returns the violations that axe finds on the page as shown: impact, rule and element. */
export async function accessibilityFaults(page: Page): Promise<readonly string[]> {
  await page.evaluate(await readFile(source, "utf8"));
  const { violations } = await page.evaluate(() =>
    (globalThis as unknown as { axe: { run(): Promise<AxeResults> } }).axe.run(),
  );
  return violations.flatMap(({ id, impact, nodes }) =>
    nodes.map(({ target }) => `${impact} ${id}: ${target.join(" ")}`),
  );
}

/** Returns the violations whose impact is critical or serious. */
export async function seriousFaults(page: Page): Promise<readonly string[]> {
  return (await accessibilityFaults(page)).filter((fault) => /^(critical|serious) /.test(fault));
}
