import { expect } from "chai";
import { historyBuckets } from "@carillon/scheduling";
import { useDashboard } from "../test-support.ts";
import { quantile } from "./quantile.ts";
import type { HistoryStep } from "./read.ts";

const buckets = (counts: Readonly<Record<number, number>>) => {
  const made = Array.from({ length: historyBuckets.length + 1 }, () => 0);
  for (const [bound, count] of Object.entries(counts)) {
    const at = historyBuckets.findIndex((upper) => upper === Number(bound));
    made[at < 0 ? historyBuckets.length : at] = count;
  }
  return made;
};

describe("percentiles from buckets", () => {
  it("lie within their bucket, and not beyond the worst value", () => {
    expect(quantile(buckets({}), 0, 0.5)).to.equal(null);
    expect(quantile(buckets({ 1: 10 }), 1, 0.5)).to.be.closeTo(0.875, 1e-9);
    expect(quantile(buckets({ 0.05: 95, 5: 5 }), 4.4, 0.95)).to.be.closeTo(0.05, 1e-9);
    expect(quantile(buckets({ 0.05: 94, 5: 6 }), 4.4, 0.95)).to.be.within(3, 4.4);
    expect(quantile(buckets({ 0.05: 1 }), 0.01, 0.95)).to.be.at.most(0.01);
    expect(quantile(buckets({ 9_999: 4 }), 900, 0.5)).to.be.closeTo(750, 1e-9);
    expect(quantile(buckets({ 0.05: 1, 9_999: 1 }), 900, 1)).to.equal(900);
  });
});

interface History {
  readonly day: readonly HistoryStep[];
  readonly month: readonly HistoryStep[];
}

describe("the history", () => {
  const dashboard = useDashboard();

  const row = (
    step: number,
    ago: string,
    values: {
      sent: number;
      failed?: number;
      worst?: number;
      in?: Record<number, number>;
      backend?: string;
    },
  ) =>
    dashboard().db.rows(
      `INSERT INTO delivery_history (step, at, backend, sent, failed, worst, buckets)
       VALUES ($1::int, date_bin(make_interval(secs => $1), now() - $2::interval, timestamptz 'epoch'), $3, $4, $5, $6, $7)`,
      [
        step,
        ago,
        values.backend ?? "redis",
        values.sent,
        values.failed ?? 0,
        values.worst ?? 0,
        buckets(values.in ?? {}),
      ],
    );
  const read = async () => (await dashboard().json("/history")) as History;
  const busy = (steps: readonly HistoryStep[]) =>
    steps.filter(({ sent, failed }) => sent + failed > 0);
  afterEach(() => dashboard().db.rows("TRUNCATE delivery_history"));

  it("has empty steps if nothing was sent, for a day and for thirty days", async () => {
    const { day, month } = await read();
    expect([day.length, month.length]).to.deep.equal([97, 121]);
    expect(day[0]).to.deep.include({ sent: 0, failed: 0, median: null, p95: null, worst: null });
    for (const steps of [day, month])
      for (const [i, { at }] of steps.entries())
        if (i > 0) expect(at - (steps[i - 1]?.at ?? 0)).to.equal(steps === day ? 900 : 21_600);
  });

  it("sums several rows of a step, percentiles included, also of two backends", async () => {
    await row(3_600, "3 days", { sent: 95, worst: 0.04, in: { 0.05: 95 } });
    await row(3_600, "3 days", {
      sent: 5,
      failed: 2,
      worst: 4.4,
      in: { 5: 5 },
      backend: "postgres",
    });
    await row(300, "2 hours", { sent: 3, worst: 1, in: { 1: 3 } });
    await row(300, "25 hours", { sent: 100, in: { 1: 100 } });
    await row(3_600, "31 days", { sent: 100, in: { 1: 100 } });
    const { day, month } = await read();
    expect(busy(day)).to.have.length(1);
    expect(busy(day)[0]).to.deep.include({ sent: 3, failed: 0, worst: 1 });
    const [step, ...more] = busy(month);
    expect(more).to.deep.equal([]);
    expect(step).to.deep.include({
      sent: 100,
      failed: 2,
      worst: 4.4,
      backends: { redis: { sent: 95, failed: 0 }, postgres: { sent: 5, failed: 2 } },
    });
    expect(step?.median).to.be.at.most(0.05);
    // The average of the two backends' own percentiles would be 2.2.
    expect(step?.p95).to.be.closeTo(0.05, 1e-9);
  });

  it("is drawn without inline scripts and styles, with the same figures as a table", async () => {
    await row(300, "2 hours", { sent: 1_234, failed: 56, worst: 4.4, in: { 5: 1_234 } });
    const page = await (await dashboard().ask("/history")).text();
    expect(page.match(/<svg[^>]*role="img"[^>]*aria-label="[^"]+"/g)).to.have.length(4);
    expect(page).to.contain("Sent: 1,234 in all; Failed: 56 in all");
    expect(page).to.match(/<td class="n">1,234<\/td>\s*<td class="n">56<\/td>/);
    expect(page).to.match(/<td class="n">4.4 s<\/td>/);
    // A single period is a bar of its own width, and says its figures on hover.
    const bar = (figures: string) =>
      new RegExp(
        `<rect[^>]* width="[1-9][^"]*"[^>]*>\\s*<title>[-0-9]{10} [:0-9]{8} UTC: ${figures}</title>`,
      );
    expect(page).to.match(bar("Sent 1,234")).and.match(bar("Failed 56"));
    expect(page).to.match(bar("95th percentile \\(p95\\) [.0-9]+ s"));
    expect(page).not.to.match(/ style=|<style|<script>/);
  });
});
