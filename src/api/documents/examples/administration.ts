import type { Examples } from './example.ts';

const LENA = { username: 'lena' };

export const USER_EXAMPLES = {
  createUser: {
    body: {
      username: 'lena',
      firstName: 'Lena',
      email: 'lena@example.org',
      password: 'slow viewers love window shopping',
    },
    response: { code: 200, type: 'unknown', message: '15' },
  },
  createUsersWithArrayInput: {
    body: [{ username: 'hugo', password: 'another viewer with a boat' }],
    response: { code: 200, type: 'unknown', message: 'ok' },
  },
  createUsersWithListInput: {
    body: [{ username: 'mara', password: 'quiet otters juggle lemons' }],
    response: { code: 200, type: 'unknown', message: 'ok' },
  },
  getUserByName: {
    parameters: LENA,
    response: { id: 15, username: 'lena', firstName: 'Lena', email: 'lena@example.org' },
  },
  updateUser: {
    parameters: LENA,
    body: { firstName: 'Lena', lastName: 'Smith', email: 'lena@example.org' },
    response: { code: 200, type: 'unknown', message: '15' },
  },
  deleteUser: { parameters: { username: 'hugo' }, response: { code: 200, type: 'unknown', message: 'hugo' } },
  inviteUser: {
    body: { username: 'mia', role: 'editor' },
    response: {
      link: 'https://pets.example.org/reset-password?for=invitation#YEL6-3dmKe_tKkBe-Dos_wHlpx3F0CctBH7-lG_4bTw',
      token: 'YEL6-3dmKe_tKkBe-Dos_wHlpx3F0CctBH7-lG_4bTw',
      expiresAt: '2026-11-27T09:00:00.000Z',
    },
  },
  searchUsers: {
    parameters: { text: 'lena', role: 'viewer', limit: 1 },
    response: [
      {
        id: 15,
        username: 'lena',
        firstName: 'Lena',
        lastName: 'Smith',
        email: 'lena@example.org',
        role: 'viewer',
        accountId: 15,
      },
    ],
  },
  getUserAsAdmin: {
    parameters: LENA,
    response: {
      id: 15,
      username: 'lena',
      firstName: 'Lena',
      lastName: 'Smith',
      email: 'lena@example.org',
      role: 'viewer',
      accountId: 15,
    },
  },
  setUserRole: {
    parameters: LENA,
    body: { role: 'editor' },
    response: { code: 200, type: 'unknown', message: 'editor' },
  },
  closeUser: { parameters: LENA, response: { code: 200, type: 'unknown', message: 'lena' } },
  reopenUser: { parameters: LENA, response: { code: 200, type: 'unknown', message: 'lena' } },
  issueResetLink: {
    parameters: LENA,
    keep: { resetToken: '/token' },
    response: {
      link: 'https://pets.example.org/reset-password#9MTzAj-cnhsJg-PKPKLwtSjP25bPkfQePQCY4IkCxd4',
      token: '9MTzAj-cnhsJg-PKPKLwtSjP25bPkfQePQCY4IkCxd4',
      expiresAt: '2026-11-27T09:00:00.000Z',
    },
  },
  resetPassword: {
    body: { token: '{{resetToken}}', newPassword: 'twelve patient pelicans paint' },
    response: { code: 200, type: 'unknown', message: 'ok', username: 'lena' },
  },
  listUserSessions: { parameters: LENA, response: [] },
  endUserSessions: { parameters: LENA, response: { code: 200, type: 'unknown', message: 'lena' } },
  listUserKeys: { parameters: LENA, response: [] },
  getUserFactors: {
    parameters: LENA,
    response: { recoveryCodes: { total: 0, left: 0 }, passkeys: [], required: false },
  },
  resetUserFactors: { parameters: LENA, response: { code: 200, type: 'unknown', message: 'lena' } },
  listAuditEntries: {
    parameters: { action: 'account.role-set', limit: 1 },
    response: [
      {
        id: 55,
        at: '2026-11-26T09:00:00.000Z',
        action: 'account.role-set',
        outcome: 'done',
        actor: { id: 14, name: 'admin' },
        via: 'session',
        credential: '594c3a4cacca3f26cf393d3c',
        address: '192.0.2.7',
        subject: { kind: 'account', id: '15', name: 'lena' },
        details: { from: 'viewer', to: 'editor' },
      },
    ],
  },
} as const satisfies Examples;

export const SERVICE_EXAMPLES = {
  listLogEntries: { parameters: { level: 'warn', limit: 10 } },
  getActivity: {},
  getOrganisation: {},
  updateOrganisation: {
    body: {
      name: 'Happy Paws',
      accentColour: '#7a3b8f',
      contact: { telephone: '+49 30 1234567', email: 'office@example.org' },
      locations: [{ name: 'Am See', latitude: 52.52, longitude: 13.4 }],
    },
    response: {
      name: 'Happy Paws',
      accentColour: '#7a3b8f',
      contact: { telephone: '+49 30 1234567', email: 'office@example.org' },
      locations: [{ id: 'am-see', name: 'Am See', latitude: 52.52, longitude: 13.4 }],
    },
  },
  updateLogo: { file: 'photo.gif' },
  deleteLogo: {},
  updateOwnFields: {
    body: {
      fields: [{ key: 'lapDog', type: 'yes-no-unknown', label: { en: 'Lap dog', de: 'Schoßhund' }, isPublic: true }],
    },
  },
  getOwnFields: {
    response: {
      fields: [{ key: 'lapDog', type: 'yes-no-unknown', label: { en: 'Lap dog', de: 'Schoßhund' }, isPublic: true }],
    },
  },
} as const satisfies Examples;
