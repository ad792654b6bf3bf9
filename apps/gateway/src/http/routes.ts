import Router from "@koa/router";
import type { Method, Operation } from "@carillon/contract";
import type { Context, Middleware, Next } from "koa";

/**
 * Finds the route of a path with one `@koa/router` for each first segment below the API's prefix, because a router
 * tries its routes one by one. Routes are regular expressions, the most specific first: `/users/me` precedes
 * `/users/{user_id}`, which precedes `/users/{email}`.
 */

/** All operations of one path; paths that differ only in the names of their parameters are the same. */
export interface Route<Endpoint> {
  /** As declared, for the log. */
  readonly path: string;
  readonly methods: ReadonlyMap<Method, Endpoint>;
  /** Sorted, for `Allow`. */
  readonly allowed: readonly string[];
  /** Whether its operations follow tus (`Operation.protocol`). */
  readonly isTus: boolean;
  /** Whether its operations are a page for people (`Operation.page`). */
  readonly isPage: boolean;
}

export type RouteAction<Endpoint> = (
  ctx: Context,
  route: Route<Endpoint>,
  parts: readonly string[],
) => Promise<void>;

/**
 * Makes middleware that runs `action` for the route of the request's path, with the undecoded parts of the path
 * parameters; calls the next middleware when there is no route.
 */
export function routeMiddleware<Endpoint extends { readonly operation: Operation }>(
  endpoints: readonly Endpoint[],
  action: RouteAction<Endpoint>,
): (ctx: Context, next: Next) => Promise<void> {
  const byShape = new Map<string, Endpoint[]>();
  for (const endpoint of endpoints) {
    const shape = shapeOf(endpoint.operation);
    byShape.set(shape, [...(byShape.get(shape) ?? []), endpoint]);
  }
  const routers = new Map<string, { router: Router; middleware?: Middleware }>();
  for (const shape of [...byShape.keys()].sort(bySpecificity)) {
    const route = routeOf(byShape.get(shape) ?? []);
    const key = groupOf(route.path);
    let group = routers.get(key);
    if (!group) routers.set(key, (group = { router: new Router() }));
    group.router.all(expressionOf(shape, route.isTus || route.isPage), (ctx) =>
      action(ctx, route, ctx.captures ?? []),
    );
  }
  for (const group of routers.values()) group.middleware = group.router.routes() as Middleware;
  return async (ctx, next) => {
    const middleware = routers.get(groupOf(ctx.path))?.middleware;
    await (middleware ? middleware(ctx, next) : next());
  };
}

function routeOf<Endpoint extends { readonly operation: Operation }>(
  endpoints: readonly Endpoint[],
): Route<Endpoint> {
  const methods = new Map(endpoints.map((endpoint) => [endpoint.operation.method, endpoint]));
  const { path = "", protocol, page } = endpoints[0]?.operation ?? {};
  const kind = { isTus: protocol === "tus", isPage: page === true };
  return { path, methods, allowed: [...methods.keys()].sort(), ...kind };
}

/** Returns the path with the kinds of its parameters: `/api/v1/users/{int}`. */
function shapeOf({ path, pathParams }: Operation): string {
  return path.replaceAll(
    /\{(\w+)\}/g,
    (_, name: string) => `{${pathParams[name]?.kind ?? "text"}}`,
  );
}

const ranks = ["{int}", "{text}", "{rest}"];

/** Compares segment by segment: fixed text, then digits, then any segment, then the rest of the path. */
function bySpecificity(a: string, b: string): number {
  const [left, right] = [a.split("/"), b.split("/")];
  for (let i = 0; i < Math.max(left.length, right.length); i++) {
    const difference = ranks.indexOf(left[i] ?? "") - ranks.indexOf(right[i] ?? "");
    if (difference !== 0) return difference;
  }
  return 0;
}

/**
 * Repeated slashes count as one, except within `{rest}`. Exact case.
 * @param withSlash whether there may be a slash at the end
 */
function expressionOf(shape: string, withSlash: boolean): RegExp {
  const source = shape
    .split("/")
    .map((segment) => {
      if (segment === "{int}") return "([0-9]+)";
      if (segment === "{text}") return "([^/]+)";
      if (segment === "{rest}") return "([^/].*)";
      return segment.replaceAll(/[^\w]/g, String.raw`\$&`);
    })
    .join("/+");
  return new RegExp(`^${source}${withSlash ? "/?" : ""}$`, "s");
}

const prefix = "/api/v1/";

/** Returns the first segment below the API's prefix, or below the root. */
function groupOf(path: string): string {
  if (path.includes("//")) path = path.replaceAll(/\/{2,}/g, "/");
  const start = path.startsWith(prefix) ? prefix.length : 1;
  const end = path.indexOf("/", start);
  return path.slice(start, end < 0 ? path.length : end);
}
