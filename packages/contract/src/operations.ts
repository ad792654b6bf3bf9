/** Every declared operation, one line a file: what is missing here is not served. */

export {};
