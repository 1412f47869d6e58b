import type { MailTexts } from './mail-texts.ts';

const works = ({ expires }: { expires: string }) => `The link works once, until ${expires}.`;

export const ENGLISH: MailTexts = {
  language: 'en',
  invitation: {
    subject: ({ site }) => `Invitation to ${site}`,
    before: [
      ({ site, username }) =>
        `An administrator of ${site} has created ${username === '' ? 'an account' : `the account ${username}`} for you.`,
      () => 'Choose a password to log in.',
    ],
    action: () => 'Choose a password',
    after: [works, ({ site }) => `If you do not expect an invitation to ${site}, ignore this message.`],
  },
  reset: {
    subject: ({ site }) => `New password for ${site}`,
    before: [({ site }) => `A new password was requested for your account at ${site}.`],
    action: ({ username }) => `Choose a new password for ${username}`,
    after: [works, () => 'If you did not request it, ignore this message: your password has not changed.'],
  },
  confirmation: {
    subject: ({ site }) => `Confirm your e-mail address for ${site}`,
    before: [
      ({ site }) => `This e-mail address was entered for an account at ${site}.`,
      () => 'Confirm that it is yours. Only a confirmed address gets links for a new password, and alerts.',
    ],
    action: () => 'Confirm the address',
    after: [works, () => 'If this is not your account, ignore this message.'],
  },
  test: {
    subject: ({ site }) => `Test message of ${site}`,
    text: ({ site }) => `${site} can send e-mail to this address.`,
  },
  certificate: {
    subject: ({ site }) => `No new HTTPS certificate for ${site}`,
    text: ({ site }) =>
      `All attempts to obtain a certificate for ${site} have failed for a day. When the certificate in use expires, browsers refuse to open your pages.`,
    since: 'Since',
    until: 'Certificate expires',
    error: 'Last error',
    action: 'Open the system page',
  },
  alert: {
    titles: {
      'new-device': ({ site }) => `New device logged in to ${site}`,
      'password-changed': ({ site }) => `Your password for ${site} was changed`,
      'key-created': ({ site }) => `New API key for your account at ${site}`,
      'totp-added': ({ site }) => `One-time codes were set up for your account at ${site}`,
      'totp-removed': ({ site }) => `One-time codes were removed from your account at ${site}`,
      'recovery-codes-replaced': ({ site }) => `New recovery codes for your account at ${site}`,
      'recovery-code-used': ({ site }) => `A recovery code was used to log in to ${site}`,
      'passkey-added': ({ site }) => `New passkey for your account at ${site}`,
      'passkey-removed': ({ site }) => `A passkey of your account at ${site} was deleted`,
      'provider-linked': ({ site }) => `Another login was linked to your account at ${site}`,
      'provider-unlinked': ({ site }) => `A linked login of your account at ${site} was removed`,
      'factors-reset': ({ site }) => `An administrator of ${site} has reset your second factors`,
      'email-changed': ({ site }) => `The e-mail address of your account at ${site} was changed`,
    },
    account: 'Account',
    advice: () =>
      'If this was you, there is nothing to do. If not, change your password now, end the other sessions, and tell an administrator.',
    action: 'Open your account',
  },
  facts: {
    atMs: 'Time',
    address: 'IP address',
    userAgent: 'Device',
    name: 'Name',
    provider: 'Provider',
    email: 'New address',
  },
  footer: ({ site }) => `This message was sent automatically by ${site}.`,
};
