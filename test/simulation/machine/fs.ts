/** Stands in for `node:fs`, promises included. */

export * as promises from './fs-promises.ts';
export * from './fs-sync.ts';
