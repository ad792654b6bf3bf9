/** What a `zuliprc` file says. */
export interface Zuliprc {
  readonly site: string;
  readonly email: string;
  readonly apiKey: string;
}

/**
 * Reads the text of a `zuliprc` file: the section `[api]` with `email`, `key` and `site`, which is on https unless
 * it says otherwise.
 * @throws Error that names what is missing
 */
export function parseZuliprc(text: string): Zuliprc {
  const values = new Map<string, string>();
  let section = "";
  for (const line of text.replace(/^\uFEFF/, "").split(/\r?\n/)) {
    const [, header] = /^\s*\[([^\]]*)\]\s*$/.exec(line) ?? [];
    if (header !== undefined) section = header;
    const [, name, value] = /^\s*([a-z_]+)\s*[=:]\s*(.*?)\s*$/.exec(line) ?? [];
    if (section === "api" && name !== undefined) values.set(name, value ?? "");
  }
  const required = (name: string) => {
    const value = values.get(name);
    if (!value) throw new Error(`the zuliprc file has no ${name} in its section [api]`);
    return value;
  };
  const site = required("site");
  return {
    site: site.includes("://") ? site : `https://${site}`,
    email: required("email"),
    apiKey: required("key"),
  };
}
