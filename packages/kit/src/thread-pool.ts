/**
 * Number of threads in libuv's pool. All modules share it for file operations, DNS look-ups, password hashing and
 * compression. It is four unless `UV_THREADPOOL_SIZE` was set when the process started: deployments set
 * {@link wantedThreads}.
 */
export const threadPoolSize = Number(process.env["UV_THREADPOOL_SIZE"]) || 4;

/** `UV_THREADPOOL_SIZE` for processes that store files. */
export const wantedThreads = 16;
