/*
 * Types by which dropped-generators.ts recognizes others. Of each pair, a type that holds generators accepts the first
 * and refuses the second; `unknown` accepts both.
 */

interface Other {
  other: symbol;
}
type AnyGenerator = Generator<never, never, unknown>;
type AnyAsyncGenerator = AsyncGenerator<never, never, unknown>;

export type Values = [
  [AnyGenerator, Other],
  [AnyAsyncGenerator, Other],
  [AnyGenerator[], Other[]],
  [AnyAsyncGenerator[], Other[]],
  [Promise<AnyGenerator>, Promise<Other>],
  [Promise<AnyAsyncGenerator>, Promise<Other>],
];

/**
 * Functions: those that return generators are assignable to the first and not to the second; a receiver that takes the
 * third as well does not use what they return.
 */
export type Functions = [
  [(...args: never) => Generator<unknown, unknown, never>, (...args: never) => Other, () => Other],
  [(...args: never) => AsyncGenerator<unknown, unknown, never>, (...args: never) => Other, () => Other],
  [
    (...args: never) => Promise<Generator<unknown, unknown, never>>,
    (...args: never) => Promise<Other>,
    () => Promise<Other>,
  ],
];
