import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { expect } from "chai";

/** Keeps 300,000 objects, and makes others that are promoted to the old generation before they become garbage. */
const program = (first: string) => `
  ${first}
  const alive = Array.from({ length: 300_000 }, (_, i) => ({ i, list: [i] }));
  const recent = new Array(100_000);
  for (let i = 0; i < 3_000_000; i++) recent[i % recent.length] = { i, list: [i, alive.length] };
`;

describe("collectSooner", () => {
  it("makes V8 collect old objects more often", async () => {
    const module = JSON.stringify(new URL("collect-sooner.ts", import.meta.url).href);
    const collections = async (first: string) => {
      const options = [
        "--trace-gc",
        `--import=${import.meta.resolve("tsx")}`,
        "--input-type=module",
      ];
      const run = promisify(execFile);
      const { stdout } = await run(process.execPath, [...options, "--eval", program(first)]);
      return stdout.match(/Mark-Compact/g)?.length ?? 0;
    };
    const [without, sooner] = await Promise.all([
      collections(""),
      collections(`(await import(${module})).collectSooner();`),
    ]);
    expect(sooner).to.be.greaterThan(without);
  });
});
