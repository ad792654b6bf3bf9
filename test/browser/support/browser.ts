import { type OpenPage, useChromium } from "./chromium.ts";
import { login, openDashboard, type OpenDashboard } from "./open-dashboard.ts";

/** A dashboard, and browser pages that are logged in to it. */
export interface Browsing {
  readonly dashboard: OpenDashboard;
  /**
   * Opens a page in a new context with a stopped clock, which `page.clock` advances. `complaints` collects its errors.
   */
  open(options?: {
    readonly width?: number;
    readonly path?: string;
    /** Time zone of the reader's machine. */
    readonly zone?: string;
    readonly colors?: "light" | "dark";
  }): Promise<OpenPage>;
}

/**
 * Starts a dashboard and Chromium for the tests of the enclosing `describe`; skips them if Chromium is not installed.
 */
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
