/** The owner of hooks: a test (its `t`), or with the `after` of node:test a whole file. */
export interface Lifetime {
  after(end: () => Promise<void>): void;
}
