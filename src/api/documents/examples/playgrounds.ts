import { DEFAULT_PLAYGROUND_LIMITS } from '../../../domain/playgrounds/playground.ts';
import type { Examples } from './example.ts';

/** Creates the playground of all further examples, and logs in there. */
export const START_EXAMPLES = {
  getOpenApiDocument: {},
  getSwaggerDocument: {},
  getArazzoDocument: {},
  createPlayground: {
    body: { contents: 'samples', access: 'secured', lifetimeSeconds: 3600 },
    keep: { playground: '/token', base: '/base', password: '/users/2/password' },
    response: {
      token: 'd0CZLmVvKx5tQ7yR2wB9pA',
      base: 'https://pets.example.org/s/d0CZLmVvKx5tQ7yR2wB9pA/v2',
      page: 'https://pets.example.org/s/d0CZLmVvKx5tQ7yR2wB9pA/',
      contents: 'samples',
      access: 'secured',
      createdAt: '2026-11-26T09:00:00.000Z',
      expiresAt: '2026-11-26T10:00:00.000Z',
      state: 'awake',
      limits: { ...DEFAULT_PLAYGROUND_LIMITS },
      recordRequests: true,
      snapshots: [],
      users: [
        { username: 'viewer', role: 'viewer', password: 'tRfSBarr09AWTeSG3pMh' },
        { username: 'editor', role: 'editor', password: 'rsfNTiyWnD44RIo2s_5Z' },
        { username: 'admin', role: 'admin', password: 'kP3vXw8LmQ71sYdTb-0c' },
      ],
    },
  },
  getPlayground: { parameters: { token: '{{playground}}' } },
  takePlaygroundSnapshot: {
    parameters: { token: '{{playground}}' },
    keep: { snapshot: '/id' },
    response: { id: 'e2f459ddd1918827a131959f', createdAt: '2026-11-26T09:00:00.000Z' },
  },
  signInWithPassword: {
    body: { username: 'admin', password: '{{password}}' },
    keep: { token: '/token' },
    response: { token: 'FrV1XFHG50UkZjfPt2WJJn7Oa1OQxqPM_s4XDy8i1kE', expiresAt: '2026-11-27T09:00:00.000Z' },
  },
} as const satisfies Examples;

export const END_EXAMPLES = {
  logoutUser: { response: { code: 200, type: 'unknown', message: 'ok' } },
  resetPlayground: { parameters: { token: '{{playground}}' } },
  restorePlaygroundSnapshot: { parameters: { token: '{{playground}}', snapshot: '{{snapshot}}' } },
  listPlaygroundRequests: { parameters: { token: '{{playground}}', operation: 'addPet', status: 200 } },
  exportPlaygroundRequests: { parameters: { token: '{{playground}}' } },
  deletePlaygroundRequests: {
    parameters: { token: '{{playground}}' },
    response: { code: 200, type: 'unknown', message: 'd0CZLmVvKx5tQ7yR2wB9pA' },
  },
  setPlaygroundFaults: {
    parameters: { token: '{{playground}}' },
    body: { rules: [{ fault: 'unavailable', operation: 'addPet', share: 0.2, seed: 7 }] },
    response: {
      rules: [
        {
          fault: 'unavailable',
          operation: 'addPet',
          share: 0.2,
          seed: 7,
          delayMs: 0,
          spreadMs: 0,
          retryAfterSeconds: 1,
          matched: 0,
          made: 0,
        },
      ],
    },
  },
  getPlaygroundFaults: { parameters: { token: '{{playground}}' } },
  setPlaygroundBugs: {
    parameters: { token: '{{playground}}' },
    body: { on: ['bug-01'] },
    response: { bugs: [{ id: 'bug-01', on: true, met: 0 }] },
  },
  getPlaygroundBugs: { parameters: { token: '{{playground}}' } },
  deletePlayground: {
    parameters: { token: '{{playground}}' },
    response: { code: 200, type: 'unknown', message: 'd0CZLmVvKx5tQ7yR2wB9pA' },
  },
} as const satisfies Examples;
