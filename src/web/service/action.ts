import { useMutation, type UseMutationOptions, type UseMutationResult } from '@tanstack/react-query';
import { useRef } from 'react';

export interface ActionOptions<Data, Input> extends UseMutationOptions<Data, Error, Input> {
  /** Identifies what is changed, if the action may run for several things at the same time. */
  targetOf?: (input: Input) => unknown;
}

/**
 * A mutation that a form or a button starts. While it runs, further calls are ignored: `isPending` is rendered too late
 * for the second of two quick clicks, which would create a second record or use a link twice. It runs until the promise
 * of `onSuccess` settles and the result is rendered. It cannot be reset while it runs: a result that is shown once
 * would be lost.
 */
export function useAction<Data = unknown, Input = void>({
  targetOf = () => undefined,
  ...options
}: ActionOptions<Data, Input>): UseMutationResult<Data, Error, Input> {
  const mutation = useMutation(options);
  const running = useRef(new Set<unknown>());

  async function run(...given: Parameters<typeof mutation.mutate>): Promise<void> {
    const target = targetOf(given[0] as Input);
    if (running.current.has(target)) return;
    running.current.add(target);
    // The error is in the state.
    await mutation.mutateAsync(...given).catch(() => {});
    // The task that renders the result is already scheduled.
    setTimeout(() => running.current.delete(target));
  }

  return {
    ...mutation,
    mutate: (...given) => void run(...given),
    reset: () => {
      if (running.current.size === 0) mutation.reset();
    },
  };
}
