import type { Examples } from './example.ts';

export const ACCOUNT_EXAMPLES = {
  getAccount: { response: { id: 14, username: 'admin', userStatus: 2, role: 'admin', accountId: 14 } },
  listSessions: {},
  createKey: {
    body: { name: 'nightly import', scopes: ['read:pets', 'write:pets'], expiresInDays: 90 },
    keep: { keyId: '/id' },
    response: {
      key: 'mgk_xZ0P4hZ28czBQCih52v4d-PwVPX_fm7NwMPgmZigZsQ',
      id: '78b454d5bcd08865072d0bd4',
      name: 'nightly import',
      scopes: ['read:pets', 'write:pets'],
      createdAt: '2026-11-26T09:00:00.000Z',
      expiresAt: '2027-02-24T09:00:00.000Z',
    },
  },
  listKeys: {
    response: [
      {
        id: '78b454d5bcd08865072d0bd4',
        name: 'nightly import',
        scopes: ['read:pets', 'write:pets'],
        createdAt: '2026-11-26T09:00:00.000Z',
        expiresAt: '2027-02-24T09:00:00.000Z',
      },
    ],
  },
  revokeKey: {
    parameters: { keyId: '{{keyId}}' },
    response: { code: 200, type: 'unknown', message: '78b454d5bcd08865072d0bd4' },
  },
  listProviders: { response: [] },
  listLinkedProviders: { response: [] },
  proveOwnership: { body: { password: '{{password}}' }, response: { code: 200, type: 'unknown', message: 'ok' } },
  getFactors: { response: { recoveryCodes: { total: 0, left: 0 }, passkeys: [], required: false } },
  startTotp: {},
  listPasskeys: { response: [] },
  loginUser: {
    parameters: { username: 'admin', password: '{{password}}' },
    response: 'logged in user session:3PbtzSlq0gPtj0fthuTPBTxarKh0stKhxihqiKTkmMw',
  },
  loginUserWithBody: {
    body: { username: 'admin', password: '{{password}}' },
    response: 'logged in user session:3PbtzSlq0gPtj0fthuTPBTxarKh0stKhxihqiKTkmMw',
  },
  endOtherSessions: { response: { code: 200, type: 'unknown', message: 'ok' } },
} as const satisfies Examples;

export const PROGRAM_EXAMPLES = {
  createOAuthClient: {
    body: {
      name: 'Kennel cards',
      redirectUris: ['https://cards.example/back'],
      scopes: ['read:pets', 'write:pets'],
      isPublic: false,
    },
    keep: { clientId: '/id', clientSecret: '/secret' },
    response: {
      id: '7b34a0795eb57b5c58b3dcb1',
      name: 'Kennel cards',
      redirectUris: ['https://cards.example/back'],
      scopes: ['read:pets', 'write:pets'],
      isPublic: false,
      createdAt: '2026-11-26T09:00:00.000Z',
      owner: 'admin',
      secret: 'mgs_h8yZ4PPcTZp5Bhjm9HVoZbSqNJdSSVibAxLKAviGPdI',
    },
  },
  requestToken: {
    body: {
      grant_type: 'client_credentials',
      scope: 'read:pets',
      client_id: '{{clientId}}',
      client_secret: '{{clientSecret}}',
    },
    keep: { accessToken: '/access_token' },
    response: {
      access_token: 'mgk_mm3SET1eVqTg6_Yp9hcaXMtJqlKawK8r4HkawjWx85I',
      token_type: 'Bearer',
      expires_in: 3599,
      scope: 'read:pets',
    },
  },
  listAccessTokens: {},
  revokeToken: {
    body: { token: '{{accessToken}}', client_id: '{{clientId}}', client_secret: '{{clientSecret}}' },
    response: {},
  },
  listOAuthClients: {
    response: [
      {
        id: '7b34a0795eb57b5c58b3dcb1',
        name: 'Kennel cards',
        redirectUris: ['https://cards.example/back'],
        scopes: ['read:pets', 'write:pets'],
        isPublic: false,
        createdAt: '2026-11-26T09:00:00.000Z',
        owner: 'admin',
      },
    ],
  },
  listAllOAuthClients: {},
  deleteOAuthClient: {
    parameters: { clientId: '{{clientId}}' },
    response: { code: 200, type: 'unknown', message: '7b34a0795eb57b5c58b3dcb1' },
  },
} as const satisfies Examples;
