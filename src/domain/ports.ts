/*
 * What the domain needs of the world. Stores speak in batches; `batching/` makes single calls of them (`Pets`, `Users`, ...), which is what
 * the use cases are given. Every change of a batch succeeds or fails alone, and is durable before its answer comes. Any call may also fail
 * with Failure `unavailable`, when the engine behind it is out of reach; then nothing was changed, or it is not known whether it was.
 */

/** Milliseconds since 1970. */
export type Clock = () => number;
