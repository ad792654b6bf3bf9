import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

type Collect = (options?: { readonly type: "minor" }) => void;

let collect: Collect | undefined;

/** Makes V8 collect the garbage of its young generation. */
export function collectYoung(): void {
  collect ??= collector();
  collect({ type: "minor" });
}

/** Returns V8's `gc` without leaving it on the global object. */
export function collector(): Collect {
  setFlagsFromString("--expose-gc");
  const found = runInNewContext("gc") as Collect;
  setFlagsFromString("--no-expose-gc");
  return found;
}
