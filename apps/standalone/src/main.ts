import { chooseApps } from "./apps.ts";
import { createOrganization, migrate } from "./database.ts";
import { runStandalone } from "./run.ts";

await runStandalone({
  migrate,
  createOrganization,
  chooseApps,
  tell: (text) => console.log(text),
});
