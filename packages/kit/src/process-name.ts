import { hostname } from "node:os";

/** The name of this process in rows and pages, `HOST:PID`; its log lines have the same PID. */
export const processName = `${hostname().slice(0, 80)}:${process.pid}`;
