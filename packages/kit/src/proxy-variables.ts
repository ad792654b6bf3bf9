const names = ["http_proxy", "https_proxy", "all_proxy"];

/** Returns the names of the proxy variables that are set. Carillon uses none of them. */
export function proxyVariables(
  source: Readonly<Record<string, string | undefined>> = process.env,
): string[] {
  return Object.keys(source)
    .filter((name) => names.includes(name.toLowerCase()) && source[name] !== "")
    .sort();
}
