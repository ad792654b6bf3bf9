import { useEffect } from "preact/hooks";
import { storage } from "./storage.ts";
import { texts } from "./texts.ts";
import { Alert } from "./ui/alert.tsx";

/** Says that the browser cannot store anything. Tries to store a value at first, so that people know before they type. */
export function StorageAlert() {
  useEffect(() => storage.write("probe", ""), []);
  return storage.isRefused.value ? <Alert>{texts.app.keepsNothing}</Alert> : null;
}
