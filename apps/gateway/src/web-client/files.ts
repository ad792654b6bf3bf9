import { readdir, readFile } from "node:fs/promises";
import { whenNeeded } from "@carillon/kit";
import { KeptBody, weakTag } from "../http/kept-body.ts";

/** The files of a built browser client. */
export interface WebClientFiles {
  readonly page: KeptBody;
  /** Files that the page loads, by name. Each is read when it is first asked for. */
  readonly assets: ReadonlyMap<string, () => Promise<KeptBody>>;
}

/** Where the build puts the browser client. */
const builtClient = new URL("../../../web/dist/", import.meta.url);

/** Media types of the built files. */
const types: Readonly<Record<string, string>> = {
  js: "text/javascript; charset=utf-8",
  css: "text/css; charset=utf-8",
  svg: "image/svg+xml",
  woff2: "font/woff2",
};

const asset = /^[\w.-]+-[A-Z0-9]{8}\.(js|css|svg|woff2)$/;

/**
 * Reads the page of a built browser client, and the names of its other files. Files of the previous build are among them:
 * the bundler keeps them for open tabs.
 * @param folder with a slash at the end; the one of this installation unless given
 * @returns undefined if the client is not built
 */
export async function readWebClient(
  folder: URL = builtClient,
): Promise<WebClientFiles | undefined> {
  const assets = new URL("assets/", folder);
  let page: Buffer;
  let names: string[];
  try {
    [page, names] = await Promise.all([readFile(new URL("index.html", folder)), readdir(assets)]);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw error;
  }
  const isThere = new Set(names);
  const read = (name: string) =>
    isThere.has(name) ? readFile(new URL(name, assets)) : Promise.resolve(undefined);
  return {
    page: await KeptBody.of("text/html; charset=utf-8", page),
    assets: new Map(
      names
        .filter((name) => asset.test(name))
        .map((name) => [name, whenNeeded(() => readAsset(name, read))] as const),
    ),
  };
}

async function readAsset(
  name: string,
  read: (name: string) => Promise<Buffer | undefined>,
): Promise<KeptBody> {
  const [identity, br, gzip] = await Promise.all([
    read(name),
    read(`${name}.br`),
    read(`${name}.gz`),
  ]);
  const type = types[name.slice(name.lastIndexOf(".") + 1)] ?? "application/octet-stream";
  // Every browser accepts a compressed form. For other clients the file is decompressed.
  const stored = { br, gzip, identity: gzip ? undefined : identity };
  return new KeptBody(type, stored, weakTag(identity ?? ""));
}
