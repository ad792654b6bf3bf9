import type { AddressInfo } from "node:net";
import { appRoutes } from "@bull-board/api/dist/routes.js";
import { deliverDue } from "@carillon/jobs";
import { silentLogger } from "@carillon/kit";
import { captureLog, startFaultProxy, waitFor, type FaultProxy } from "@carillon/testkit";
import { connectDatabase } from "@carillon/db";
import { expect } from "chai";
import Koa from "koa";
import { buildDashboard } from "./app.ts";
import { boardMiddleware } from "./board/board.ts";
import { backends, basic, openDashboard, serve, useDashboard } from "./test-support.ts";

/** Every route of bull-board that changes something, for a queue and a job that exist. */
const writes = appRoutes.api
  .flatMap(({ method, route }) =>
    [method].flat().flatMap((name) => [route].flat().map((path) => ({ method: name, path }))),
  )
  .filter(({ method }) => method !== "get")
  .map(({ method, path }) => ({
    method: method.toUpperCase(),
    path: path
      .replace(":queueName", "delivery")
      .replace(":jobId", "deliver-due-1-4000000000")
      .replace(":queueStatus", "delayed")
      .replace(":schedulerId", "none"),
  }));

for (const kind of backends)
  describe(`the dashboard, on ${kind}`, () => {
    const dashboard = useDashboard(kind);

    const pages = [
      "/",
      "/failed",
      "/history",
      "/look-up",
      "/series",
      "/deletions",
      "/dead-letters",
      "/queues",
      "/queues/api/queues",
      "/style.css",
      "/dashboard.js",
    ];

    it("serves its pages to operator and viewer only", async () => {
      const { ask } = dashboard();
      for (const path of pages) {
        expect((await ask(path)).status, path).to.equal(200);
        expect((await ask(path, { as: "viewer" })).status, path).to.equal(200);
        const refusal = await ask(path, { as: "nobody" });
        expect(refusal.status, path).to.equal(401);
        expect(refusal.headers.get("www-authenticate")).to.match(/^Basic realm=/);
        expect(await refusal.text()).not.to.contain("Queue");
      }
    });

    it("refuses wrong credentials of every kind", async () => {
      const { ask } = dashboard();
      const wrong = [
        basic("olga", "open:sesame"),
        basic("olga", ""),
        basic("", "open:sesame ä"),
        basic("viktor", "open:sesame ä"),
        basic("Olga", "open:sesame ä"),
        basic("olga:open", "sesame ä2"),
        "Basic",
        "Basic %%%",
        "Bearer olga",
        `${basic("olga", "open:sesame ä")}, x`,
        basic("x".repeat(8_000), "y"),
      ];
      for (const authorization of wrong) {
        const answer = await ask("/", { as: "nobody", headers: { authorization } });
        expect(answer.status, authorization).to.equal(401);
      }
    });

    it("shows bull-board over the real queues", async () => {
      const { queues, json, ask } = dashboard();
      await queues.publish([
        { job: deliverDue, payload: { realmId: 1, second: 4e9 }, delayMs: 3_600_000 },
      ]);
      const { queues: shown } = (await json("/queues/api/queues")) as {
        queues: {
          name: string;
          displayName: string;
          counts: Record<string, number>;
          readOnlyMode: boolean;
        }[];
      };
      expect(shown.map(({ name }) => name)).to.have.members([
        "delivery",
        "commands",
        "push",
        "bouncer",
        "outgoing",
        "images",
        "maintenance",
      ]);
      expect(shown.map(({ displayName }) => displayName)).to.include("Mail and push planning");
      const overview = await (await ask("/", { headers: { accept: "text/html" } })).text();
      expect(overview).to.match(
        /<a href="\/queues\/queue\/push">Mail and push planning<\/a>\s*<code>push<\/code>/,
      );
      expect(shown.every(({ readOnlyMode }) => readOnlyMode)).to.equal(true);
      expect(shown[0]?.counts).to.include({ delayed: 1 });
      expect((await ask("/queues/queue/delivery")).status).to.equal(200);
      const ofRedis = await ask("/queues/api/redis/stats");
      expect(ofRedis.status).to.equal(kind === "redis" ? 200 : 403);
      const page = await (await ask("/queues")).text();
      for (const path of ["/", "/failed", "/history", "/look-up", "/deletions", "/dead-letters"])
        expect(page).to.contain(`<a href="${path}"`);
      expect(page).not.to.contain("googleapis");
      const settings = /<script id="__UI_CONFIG__"[^>]*>([^<]*)</.exec(page)?.[1] ?? "{}";
      expect(JSON.parse(settings)).to.include({
        showMetrics: true,
        showWorkers: false,
        hideRedisDetails: kind === "postgres",
      });
      const script = /src="(static\/js\/main[^"]+)"/.exec(page)?.[1];
      expect((await ask(`/queues/${script}`)).status).to.equal(200);
    });

    it("shows ids of a job's data, but no text", async () => {
      const { queues, json } = dashboard();
      const [delivery] = queues.bullQueues();
      await delivery?.add(
        "leaky",
        { id: 7, content: "the secret words", list: ["ok-1", "not ok"] },
        { jobId: "leaky-7", delay: 3_600_000 },
      );
      const { job } = (await json("/queues/api/queues/delivery/leaky-7")) as {
        job: { data: unknown };
      };
      expect(job.data).to.deep.equal({ id: 7, content: "[cut]", list: ["ok-1", "[cut]"] });
      const found = (await json("/look-up?id=leaky-7")) as { jobs: { payload: unknown }[] };
      expect(found.jobs[0]?.payload).to.deep.equal(job.data);
    });

    it("refuses writes on the board, also from the operator", async () => {
      const { queues, ask } = dashboard();
      expect(writes).to.have.length.greaterThan(20);
      for (const { method, path } of writes) {
        for (const as of ["operator", "viewer"] as const) {
          const answer = await ask(`/queues${path}`, { method, as });
          expect(answer.status, `${method} ${path}`).to.equal(405);
        }
      }
      expect(await queues.queue("delivery").counts()).to.include({ delayed: 2, waiting: 0 });
    });

    it("mounts the board read-only", async () => {
      const { queues } = dashboard();
      const app = new Koa();
      app.silent = true;
      app.use(boardMiddleware(queues));
      const server = await serve(app);
      const { port } = server.address() as AddressInfo;
      const done: string[] = [];
      for (const { method, path } of writes) {
        const answer = await fetch(`http://127.0.0.1:${port}/queues${path}`, { method });
        if (answer.status < 400) done.push(path);
      }
      server.closeAllConnections();
      server.close();
      // These two answer, and leave out the queues that are read-only: all.
      expect(done).to.deep.equal(["/api/queues/pause", "/api/queues/resume"]);
      for (const queue of queues.bullQueues()) expect(await queue.isPaused()).to.equal(false);
      expect(await queues.queue("delivery").counts()).to.include({ delayed: 2, waiting: 0 });
    });

    it("sends strict security headers on every page", async () => {
      const { ask } = dashboard();
      for (const path of [...pages, "/health", "/metrics", "/nothing"]) {
        const { headers } = await ask(path);
        const policy = headers.get("content-security-policy");
        expect(policy, path).to.match(/^default-src 'none'/);
        expect(policy, path).not.to.match(/https?:|\*|unsafe-eval|script-src[^;]*unsafe/);
        expect(headers.get("x-content-type-options")).to.equal("nosniff");
        expect(headers.get("cache-control")).to.equal("no-store");
      }
      for (const path of pages.filter((each) => !each.startsWith("/queues")))
        expect((await ask(path)).headers.get("content-security-policy"), path).to.match(
          /script-src 'self';/,
        );
    });

    it("answers 404 and 405", async () => {
      const { ask, json } = dashboard();
      expect((await ask("/nothing")).status).to.equal(404);
      expect(await json("/nothing")).to.deep.equal({ error: "There is no such page." });
      expect((await ask("/", { method: "DELETE" })).status).to.equal(405);
      expect((await ask("/health", { method: "POST", as: "nobody" })).status).to.equal(405);
    });
  });

describe("the health of the dashboard", () => {
  it("is open, and 503 while the database is down", async () => {
    const dashboard = await openDashboard();
    const { lines, log } = captureLog();
    let proxy: FaultProxy | undefined;
    try {
      proxy = await startFaultProxy(dashboard.database.url);
      const db = await connectDatabase(proxy.url, { max: 4, name: "test" });
      const logins = [{ role: "operator", user: "o", password: "p" }] as const;
      const app = buildDashboard({ db, queues: dashboard.queues, logins, log });
      const server = await serve(app);
      const { port } = server.address() as AddressInfo;
      const ask = (path: string) =>
        fetch(`http://127.0.0.1:${port}${path}`, { headers: { authorization: basic("o", "p") } });
      const status = async (path: string) => (await ask(path)).status;
      const until = (wanted: number) =>
        waitFor(async () => (await status("/health")) === wanted, { what: `health is ${wanted}` });
      await until(200);
      await proxy.refuse();
      await until(503);
      // 200, so that no supervisor restarts the dashboard: its page explains the outage.
      expect((await fetch(`http://127.0.0.1:${port}/live`)).status).to.equal(200);
      expect(await (await ask("/metrics")).text()).to.match(
        /^carillon_store_up\{store="queues"\} 1$/m,
      );
      const page = await ask("/");
      expect(page.status).to.equal(200);
      expect(await page.text()).to.match(/The database does not answer|unknown/);
      for (const path of [
        "/look-up?id=1",
        "/failed",
        "/history",
        "/series",
        "/deletions",
        "/dead-letters",
        "/audit",
      ]) {
        const away = await ask(path);
        expect(away.status, path).to.equal(503);
        expect(await away.text(), path).to.include("The database does not answer.");
      }
      expect(lines.some(({ msg }) => msg === "request failed")).to.equal(true);
      await proxy.heal();
      await until(200);
      proxy.freeze();
      await until(503);
      expect(await status("/live")).to.equal(200);
      proxy.drop();
      server.closeAllConnections();
      server.close();
      await db.close();
    } finally {
      await proxy?.close();
      await dashboard.close();
    }
  });

  it("queries the database once for concurrent requests", async () => {
    const dashboard = await openDashboard("postgres", { log: silentLogger });
    const answers = await Promise.all(
      Array.from({ length: 100 }, () => dashboard.ask("/health", { as: "nobody" })),
    );
    expect(answers.every(({ status }) => status === 200)).to.equal(true);
    expect(dashboard.db.pool.totalCount).to.be.at.most(1);
    await dashboard.close();
  });
});

describe("the pages of the dashboard", () => {
  const dashboard = useDashboard("postgres");

  it("show their time by the database's clock", async () => {
    const { db, queues } = dashboard();
    const logins = [{ role: "operator", user: "o", password: "p" }] as const;
    const clock = { now: () => Date.UTC(2001, 1, 3) };
    const server = await serve(buildDashboard({ db, queues, logins, log: silentLogger, clock }));
    const { port } = server.address() as AddressInfo;
    const answer = await fetch(`http://127.0.0.1:${port}/dead-letters`, {
      headers: { authorization: basic("o", "p") },
    });
    const year = /As of (\d{4})-/.exec(await answer.text())?.[1];
    const [row] = await db.rows<{ year: string }>("SELECT extract(year FROM now())::text AS year");
    expect(year).to.equal(row?.year);
    server.closeAllConnections();
    server.close();
  });

  it("do not wait for locked tables: the overview shows the other readings", async () => {
    const { ask } = dashboard();
    expect(await (await ask("/dead-letters")).text()).to.match(/As of /);
    const others = await dashboard().database.connect({ max: 2 });
    const blocker = await others.pool.connect();
    try {
      await blocker.query("BEGIN; LOCK TABLE scheduled_messages IN ACCESS EXCLUSIVE MODE");
      const page = await ask("/");
      expect(page.status).to.equal(200);
      // No waiting statement has timed out meanwhile.
      const waiting = await others.rows(
        `SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`,
      );
      expect(waiting).to.not.have.length(0);
    } finally {
      await blocker.query("ROLLBACK");
      blocker.release();
      await others.close();
    }
  });
});

describe("the dashboard, when credentials are guessed", () => {
  const dashboard = useDashboard("postgres");

  it("refuses the network for a while, and still answers probes", async () => {
    const { ask } = dashboard();
    for (let i = 0; i < 10; i++) {
      const authorization = basic("olga", `guess ${i}`);
      const { status } = await ask("/", { as: "nobody", headers: { authorization } });
      expect(status).to.equal(401);
    }
    const refusal = await ask("/");
    expect(refusal.status).to.equal(429);
    expect(Number(refusal.headers.get("retry-after"))).to.be.within(1, 62);
    expect((await ask("/health", { as: "nobody" })).status).to.equal(200);
  });
});
