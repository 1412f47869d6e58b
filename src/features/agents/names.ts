/* The words of this feature in tables of the core. */

/** The beginning of its path. */
export const SERVICE_SEGMENTS = ['mcp'] as const;

/** Its route, in metrics. */
export const ROUTE_NAMES = ['mcp'] as const;

export const SETTINGS = [
  {
    name: 'mcp',
    value: 'MODE',
    default: 'read',
    choices: ['off', 'read', 'write'],
    help: 'tools for agents at /mcp: off, read (none that change pets), or write (those that the access rules allow)',
  },
] as const;

/** Agents may change what is there for tests. */
export const SETTINGS_IN_TESTS = { mcp: 'write' } as const;
