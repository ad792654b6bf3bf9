import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { KeptBody } from "../http/kept-body.ts";
import { page, pageHeaders } from "./page.ts";
import { script } from "./script.ts";
import { style } from "./style.ts";

const { resolve } = createRequire(import.meta.url);
const [scriptType, styleType] = ["text/javascript; charset=utf-8", "text/css; charset=utf-8"];

/** Reads the reference page and, by name, the files that it loads: the viewer's and ours. */
export async function referenceFiles(): Promise<{
  readonly page: KeptBody;
  readonly pageHeaders: Readonly<Record<string, string>>;
  readonly others: ReadonlyMap<string, KeptBody>;
}> {
  const [viewer, viewerStyle] = await Promise.all([
    readFile(resolve("swagger-ui-dist/swagger-ui-bundle.js")),
    readFile(resolve("swagger-ui-dist/swagger-ui.css")),
  ]);
  const others = [
    ["viewer.js", scriptType, viewer],
    ["viewer.css", styleType, viewerStyle],
    ["page.js", scriptType, script],
    ["page.css", styleType, style],
  ] as const;
  return {
    page: await KeptBody.of("text/html; charset=utf-8", page),
    pageHeaders,
    others: new Map(
      await Promise.all(
        others.map(async ([name, type, body]) => [name, await KeptBody.of(type, body)] as const),
      ),
    ),
  };
}
