import { type OpenPage, useChromium } from "./chromium.ts";
import { login, openDashboard, type OpenDashboard } from "./open-dashboard.ts";

/** A dashboard, and pages of a browser that is logged in there. */
export interface Browsing {
  readonly dashboard: OpenDashboard;
  /** A page of a fresh context, its clock still: `page.clock` moves it. What it complains of is in `complaints`. */
  open(options?: {
    readonly width?: number;
    readonly path?: string;
    /** Of the reader's machine. */
    readonly zone?: string;
    readonly colors?: "light" | "dark";
  }): Promise<OpenPage>;
}

/** For the tests of the enclosing `describe`, which are skipped where no Chromium is installed. */
export function useBrowser(): () => Browsing {
  const newPage = useChromium();
  let dashboard: OpenDashboard | undefined;
  before("start a dashboard", async () => {
    dashboard = await openDashboard();
  });
  after(() => dashboard?.close());

  return () => {
    if (!dashboard) throw new Error("the dashboard runs only during the tests");
    const { origin } = dashboard;
    return {
      dashboard,
      async open({ width = 1_100, path = "/", zone = "UTC", colors = "light" } = {}) {
        const opened = await newPage({
          viewport: { width, height: 800 },
          timezoneId: zone,
          locale: "en-US",
          colorScheme: colors,
          httpCredentials: { username: login.user, password: login.password },
        });
        await opened.page.clock.install();
        await opened.page.goto(origin + path);
        return opened;
      },
    };
  };
}
