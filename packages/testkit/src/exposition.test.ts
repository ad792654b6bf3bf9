import { expect } from "chai";

import { expositionFaults } from "./exposition.ts";

describe("The checker of Prometheus expositions", () => {
  const head = (type: string) => `# HELP x_total What it is\n# TYPE x_total ${type}\n`;

  it("accepts valid expositions", () => {
    const histogram = `# HELP h Time\n# TYPE h histogram\nh_bucket{le="1",a="b"} 1\nh_bucket{le="+Inf",a="b"} 2\nh_sum{a="b"} 3\nh_count{a="b"} 2\n`;
    expect(
      expositionFaults(`${head("counter")}x_total{a="\\"\\n"} 1e+06\n${histogram}`),
    ).to.deep.equal([]);
  });

  for (const [what, text, wanted] of [
    ["a missing end", `${head("counter")}x_total 1`, /line break/],
    ["a wrong line", `${head("counter")}x_total{a=b} 1\n`, /not a sample/],
    ["a sample twice", `${head("counter")}x_total 1\nx_total 2\n`, /duplicated/],
    ["no help", "# TYPE x_total counter\nx_total 1\n", /no help/],
    ["no type", "# HELP x_total X\nx_total 1\n", /no type/],
    ["a gauge named as a counter", `${head("gauge")}x_total 1\n`, /ends with _total/],
    ["a counter named as none", "# HELP x X\n# TYPE x counter\nx 1\n", /should end with _total/],
    ["a quantile of a gauge", '# HELP x X\n# TYPE x gauge\nx{quantile="1"} 1\n', /quantile/],
    ["milliseconds", "# HELP x_ms X\n# TYPE x_ms gauge\nx_ms 1\n", /seconds/],
    [
      "buckets that shrink",
      '# HELP h H\n# TYPE h histogram\nh_bucket{le="1"} 3\nh_bucket{le="+Inf"} 2\nh_sum 1\nh_count 2\n',
      /do not increase/,
    ],
  ] as const)
    it(`reports ${what}`, () => {
      expect(expositionFaults(text).join("\n")).to.match(wanted);
    });
});
