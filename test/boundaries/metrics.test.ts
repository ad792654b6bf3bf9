import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { createRegistry, declaredMetrics, measureNode } from "@carillon/kit";
import { expect } from "chai";
import { readProductionFiles } from "./source-files.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));
const shared = ["deploy/prometheus/alerts.yml", "deploy/grafana/carillon.json"];
const guides = ["docs/operating.md", "docs/scaling.md"];

/** Includes the series of a histogram. */
function series(): Set<string> {
  const registry = createRegistry("gateway");
  measureNode(registry);
  const standard = registry.getMetricsAsArray().map(({ name }) => name);
  const own = Object.entries(declaredMetrics).flatMap(([name, { type }]) =>
    type === "histogram" ? ["", "_bucket", "_sum", "_count"].map((end) => name + end) : [name],
  );
  return new Set([...standard, ...own]);
}

/** Returns the names of metrics in a text; other names with the same prefix, such as the database's, are excluded. */
const named = (text: string) =>
  [...text.matchAll(/\b(?:carillon|process|nodejs)_[a-z0-9_]+\b(?=[{[ "`)\\]|$)/gm)].map(
    ([name]) => name,
  );

describe("metrics", () => {
  const known = series();

  for (const path of shared)
    it(`named in ${path} exist`, async () => {
      const names = named(await readFile(join(root, path), "utf8"));
      expect(names.length).to.be.greaterThan(10);
      expect(names.filter((name) => !known.has(name))).to.deep.equal([]);
    });

  it("named in the guides exist", async () => {
    for (const path of guides) {
      const text = await readFile(join(root, path), "utf8").catch(() => "");
      const names = [...text.matchAll(/`(carillon_[a-z0-9_]+)[`{]/g)].map(([, name = ""]) => name);
      const databases = ["carillon_bouncer"];
      expect(
        names.filter((name) => !known.has(name) && !databases.includes(name)),
        path,
      ).to.deep.equal([]);
    }
  });

  it("are each created by the processes that are declared to export them", async () => {
    const sources = await readProductionFiles(["packages/kit", "apps"]);
    for (const [name, { of }] of Object.entries(declaredMetrics)) {
      const makers = sources
        .filter(
          ({ path, text }) => !path.endsWith("declared-metrics.ts") && text.includes(`"${name}"`),
        )
        .map(({ path }) => path.split("/").slice(0, 2).join("/"));
      expect(makers.length, name).to.be.greaterThan(0);
      const processes = of.map((role) => `apps/${role}`);
      expect(
        makers.filter((maker) => maker !== "packages/kit" && !processes.includes(maker)),
        name,
      ).to.deep.equal([]);
    }
  });

  it("have names by type, and no quantiles", () => {
    for (const [name, { type, labels }] of Object.entries(declaredMetrics)) {
      expect(name.endsWith("_total"), name).to.equal(type === "counter");
      expect(labels, name).to.not.include("quantile");
    }
  });
});
