import { parseArgs } from "node:util";
import { prepare } from "./lib/build.mjs";
import { pythonWith } from "./lib/python.mjs";
import { replaceProcess, steps } from "./lib/run.mjs";
import { suite } from "./lib/suite.mjs";

const options = /** @type {const} */ ({
  seed: { type: "string" },
  requests: { type: "string" },
  bounds: { type: "boolean" },
  as: { type: "string" },
});

// npm run test:fuzz: sends requests generated from the OpenAPI document, as every role. After `--`: `--requests=N` for
// about N requests of all roles together, `--bounds` for another 12,000 per role at the declared bounds, `--seed=N` for
// other requests, `--as=guest` for one role. The last line is `N passed, N failed, N skipped`.
await steps(async () => {
  const { values } = parseArgs({ options });
  await prepare();
  const { folder, reason } = await pythonWith("test/fuzz/requirements.txt");
  if (reason) console.log(`${reason}: tests that need it are skipped.`);
  await replaceProcess(...suite("fuzz", [], values.as ? [`--grep=as ${values.as} are`] : []), {
    ...(reason ? {} : { CARILLON_TEST_FUZZER: folder }),
    ...(values.seed ? { CARILLON_FUZZ_SEED: values.seed } : {}),
    ...(values.requests ? { CARILLON_FUZZ_REQUESTS: values.requests } : {}),
    ...(values.bounds ? { CARILLON_FUZZ_BOUNDS: "true" } : {}),
  });
});
