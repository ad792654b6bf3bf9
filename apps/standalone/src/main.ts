import { chooseApps, programOf } from "./apps.ts";
import { runStandalone } from "./run.ts";

await runStandalone({
  chooseApps,
  prepare: programOf("standalone", "prepare-main"),
  tell: (text) => console.log(text),
});
