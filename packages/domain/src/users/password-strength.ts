import { Worker } from "node:worker_threads";

import { errors } from "@carillon/contract";

/** How hard a password is to guess. */
export interface PasswordStrength {
  /** Whether it is one of the passwords that leaked most often, ignoring case. */
  readonly isCommon: boolean;
  /** Estimated number of guesses until it is found. */
  readonly guesses: number;
}

/** Maximum passwords in the thread, including the current one: about ten seconds of work if all are hostile. */
const maxWaiting = 16;
/** Milliseconds after which the thread counts as hung; a hostile password of 100 characters takes 650 on a free core. */
const stuckMs = 60_000;
/** Milliseconds without work after which the thread ends. */
const idleMs = 60_000;

const file = new URL("../../estimator/estimator.mjs", import.meta.url);

interface Waiting {
  readonly resolve: (strength: PasswordStrength) => void;
  readonly reject: (error: Error) => void;
}

/** Passwords that the thread has not answered yet, in the order of its answers. */
const waiting: Waiting[] = [];
let thread: Worker | undefined;
let timer: NodeJS.Timeout | undefined;

/**
 * Estimates how hard a password is to guess. A thread does it, which starts when needed and ends a minute after the last
 * password: its dictionaries take 60 MB, and a hostile password would block the event loop.
 * @param password within the maximum length
 * @throws ApiError 503 if too many are waiting, or the thread does not answer
 */
export function passwordStrength(password: string): Promise<PasswordStrength> {
  if (waiting.length >= maxWaiting) return Promise.reject(tooBusy());
  return new Promise((resolve, reject) => {
    thread ??= startThread();
    thread.ref();
    waiting.push({ resolve, reject });
    thread.postMessage(password, []);
    if (waiting.length === 1) setTimer();
  });
}

function startThread(): Worker {
  const started = new Worker(file, {
    // The thread inherits neither the environment, which has secrets, nor the process's module loaders.
    env: {},
    execArgv: [],
    resourceLimits: { maxOldGenerationSizeMb: 256 },
  });
  started.on("message", (strength: PasswordStrength) => {
    if (started !== thread) return;
    waiting.shift()?.resolve(strength);
    setTimer();
  });
  const failed = (error: Error) => {
    if (started === thread) endThread(error);
  };
  started.on("error", failed);
  started.on("exit", (code) => failed(new Error(`the password estimator exited with ${code}`)));
  return started;
}

/** Starts the timeout of the current password, or of an idle thread. */
function setTimer(): void {
  clearTimeout(timer);
  if (waiting.length > 0) {
    timer = setTimeout(() => endThread(tooBusy()), stuckMs);
    return;
  }
  // An idle thread does not keep the process running.
  thread?.unref();
  timer = setTimeout(() => endThread(tooBusy()), idleMs);
  timer.unref();
}

/** Ends the thread and rejects its unanswered passwords; the next password starts another thread. */
function endThread(error: Error): void {
  clearTimeout(timer);
  const ended = thread;
  thread = undefined;
  void ended?.terminate();
  for (const { reject } of waiting.splice(0)) reject(error);
}

function tooBusy(): Error {
  return errors.unavailable("Too many passwords are being checked: try again in a moment");
}
