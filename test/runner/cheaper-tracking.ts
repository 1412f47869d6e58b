import type { HookCallbacks } from 'node:async_hooks';

/*
 * `node:test` records to which test every promise and handle belongs, and has the garbage collector report each one
 * that it frees, which took a quarter of the CPU time of the HTTP tests. This file is loaded before `node:test`: it
 * prevents the reports and deletes the records after each file. Without it, the tests have the same results.
 */

/**
 * A Map holds 16.7 million entries; a file of `npm test` needs 3 million at most. Beyond the limit, the older half is
 * deleted.
 */
const MAX_REMEMBERED = 12_000_000;

const hooks = process.getBuiltinModule('node:async_hooks');
const { createHook } = hooks;
/** Records of tests and suites are kept, because these may start long after their declaration. */
const tests = new Set<number>();
let next = 0;
let last = 0;
let forget: (id: number) => void = () => {};

/** Deletes the records of all files so far. A lane calls it after each file. */
export function forgetPastFiles(end = last): void {
  for (; next <= end; next++) if (!tests.has(next)) forget(next);
}

Object.assign(hooks, {
  createHook(callbacks: HookCallbacks) {
    const init = callbacks.init?.bind(callbacks);
    const destroy = callbacks.destroy?.bind(callbacks);
    if (init === undefined || destroy === undefined) return createHook(callbacks);
    forget = destroy;
    return createHook({
      init(id, type, triggerId, resource) {
        init(id, type, triggerId, resource);
        if (next === 0) next = id;
        last = id;
        if (type === 'Test') tests.add(id);
        if (id - next > MAX_REMEMBERED) forgetPastFiles(id - MAX_REMEMBERED / 2);
      },
    });
  },
});
