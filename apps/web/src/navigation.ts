import { signal } from "@preact/signals";
import { hashOf, parseRoute, type Route } from "./route.ts";

const current = signal(parseRoute(location.hash));
addEventListener("hashchange", () => {
  current.value = parseRoute(location.hash);
});

/** The page that the address names. */
export const route = {
  get value(): Route {
    return current.value;
  },
};

/** Goes to a page. */
export function navigate(to: Route, { replace = false } = {}): void {
  if (!replace) {
    location.hash = hashOf(to);
    return;
  }
  history.replaceState(history.state, "", hashOf(to));
  current.value = to;
}
