import { hostname } from "node:os";

/** This process as rows and pages name it: `HOST:PID`, which the lines of its log have too. */
export const processName = `${hostname().slice(0, 80)}:${process.pid}`;
