import { readEnvironment, runMain } from "@carillon/kit";
import { runCommand, usage } from "./commands.ts";

await runMain(async () => {
  const args = process.argv.slice(2);
  console.log(args[0] === "help" ? usage : await runCommand(readEnvironment(), args));
});
