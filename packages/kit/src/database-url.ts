/**
 * PostgreSQL connection URIs with several hosts, in the form of libpq:
 * `postgresql://user:secret@db1:5432,db2:5432/carillon?target_session_attrs=read-write`. `URL` and `pg` accept one host
 * only.
 */

/** The address of one server. */
export interface DatabaseHost {
  readonly host: string;
  readonly port: number;
}

/** Maximum hosts of a URL, because they share the time in which a connection must succeed. */
const mostHosts = 10;
const defaultPort = 5432;
const parameter = "target_session_attrs";

/** Captures the part before the hosts, the hosts, and the rest. A password may contain an `@`. */
const form = /^(postgres(?:ql)?:\/\/(?:[^/?#]*@)?)([^/?#]*)(.*)$/is;

/** Replaces the hosts while `URL` parses the rest. */
const anyHost = "hosts.invalid";

function parts(text: string): [before: string, hosts: string, after: string] {
  const [, before = "", hosts = "", after = ""] = form.exec(text) ?? [];
  return [before, hosts, after];
}

/** Returns the servers that a URL names, in its order. */
export function databaseHosts(url: string): readonly DatabaseHost[] {
  return parts(url)[1].split(",").map(hostOf);
}

/** Returns whether connections must reach a server that accepts writes: with several hosts, or if the URL says so. */
export function wantsWritableServer(url: string): boolean {
  const wanted = sessionOf(url);
  return wanted === undefined ? parts(url)[1].includes(",") : wanted !== "any";
}

/** Returns the URL of one of the servers, without `target_session_attrs`, which `pg` does not know. */
export function urlOfHost(url: string, index = 0): string {
  const [before, hosts, after] = parts(url);
  const one = `${before}${hosts.split(",")[index] ?? ""}${after}`;
  if (sessionOf(url) === undefined) return one;
  const changed = new URL(one);
  changed.searchParams.delete(parameter);
  return changed.href;
}

/** Returns the URL after `change`. `change` gets a URL with one placeholder for the hosts, which it must not change. */
export function changeDatabaseUrl(url: string, change: (one: URL) => void): string {
  const [before, hosts, after] = parts(url);
  const one = new URL(`${before}${anyHost}${after}`);
  change(one);
  const [newBefore, , newAfter] = parts(one.href);
  return `${newBefore}${hosts}${newAfter}`;
}

/** Returns the name of the URL's database. */
export function databaseName(url: string): string {
  return decodeURIComponent(new URL(`postgres://${anyHost}${parts(url)[2]}`).pathname.slice(1));
}

/** Returns the problem of a URL, as the end of a sentence about its variable; undefined for a valid URL. */
export function databaseUrlProblem(text: string): string | undefined {
  const scheme = "must be a URL beginning with postgres:// or postgresql://";
  if (!form.test(text)) return scheme;
  const [before, hosts, after] = parts(text);
  if (!URL.canParse(`${before}${anyHost}${after}`)) return scheme;
  const names = hosts.split(",");
  for (const name of names) {
    const problem = hostProblem(name, names.length > 1);
    // The host may be a part of the password, which errors must not show.
    if (problem)
      return after.includes("@")
        ? "has an @ after its hosts: write /, ? and # in a password as %2F, %3F and %23"
        : problem;
  }
  if (names.length > mostHosts)
    return `names ${names.length} hosts: give at most ${mostHosts}, such as a primary and its standbys`;
  const addresses = databaseHosts(text).map(({ host, port }) => `${host}:${port}`);
  const twice = addresses.find((address, i) => addresses.indexOf(address) !== i);
  if (twice !== undefined) return `names ${twice} twice: give each server once`;
  return sessionProblem(text, names.length > 1);
}

/** Quotes no part of the host: in a URL that lacks its host, it is the user and the password. */
function hostProblem(name: string, several: boolean): string | undefined {
  if (name === "" && several)
    return "has a comma without a host beside it: write host1:5432,host2:5432";
  // The port is what follows the last colon outside of brackets.
  const port = /:([^\]:]*)$/.exec(name)?.[1];
  if (port !== undefined && port !== "" && !(/^\d{1,5}$/.test(port) && isPort(Number(port))))
    return "has a port that is not a number from 1 to 65535, or lacks an @ after its password: write user:password@db1:5432";
  if (!URL.canParse(`postgres://${name}`))
    return "has an invalid host: write a name, an IPv4 address, or an IPv6 address in brackets, and a port, such as db1:5432";
  return undefined;
}

function isPort(port: number): boolean {
  return port >= 1 && port <= 65_535;
}

function sessionProblem(text: string, several: boolean): string | undefined {
  const wanted = sessionOf(text);
  const right = `${parameter} must be read-write (or primary), because Carillon writes`;
  if (wanted === undefined || wanted === "read-write" || wanted === "primary") return undefined;
  if (wanted !== "any") return `has ${parameter}=${wanted}: ${right}`;
  return several ? `has several hosts and ${parameter}=any: ${right}` : undefined;
}

function sessionOf(url: string): string | undefined {
  const [, , after] = parts(url);
  return new URL(`postgres://${anyHost}${after}`).searchParams.get(parameter) ?? undefined;
}

function hostOf(name: string): DatabaseHost {
  const { hostname, port } = new URL(`postgres://${name}`);
  const host = decodeURIComponent(hostname).replace(/^\[(.+)\]$/, "$1");
  return { host, port: port === "" ? defaultPort : Number(port) };
}
