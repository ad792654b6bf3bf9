import { useEffect } from "preact/hooks";
import { storage } from "./storage.ts";
import { texts } from "./texts.ts";
import { Alert } from "./ui/alert.tsx";

/** Says that the browser keeps nothing for the page. Tries it, so that people learn it before they write. */
export function StorageAlert() {
  useEffect(() => {
    storage.write("probe", "");
    storage.remove("probe");
  }, []);
  return storage.isRefused.value ? <Alert>{texts.app.keepsNothing}</Alert> : null;
}
