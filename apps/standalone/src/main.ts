import { chooseApps, programOf } from "./apps.ts";
import { runStandalone } from "./run.ts";

await runStandalone({
  chooseApps,
  prepare: programOf("standalone", "prepare-main"),
  print: (text) => console.log(text),
});
