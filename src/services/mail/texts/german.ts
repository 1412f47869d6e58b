import type { MailTexts } from './mail-texts.ts';

const works = ({ expires }: { expires: string }) => `Der Link funktioniert einmal, bis ${expires}.`;

export const GERMAN: MailTexts = {
  language: 'de',
  invitation: {
    subject: ({ site }) => `Einladung zu ${site}`,
    before: [
      ({ site, username }) =>
        `Bei ${site} wurde ${username === '' ? 'ein Konto' : `das Konto ${username}`} für Sie angelegt.`,
      () => 'Wählen Sie ein Passwort, um sich anzumelden.',
    ],
    action: () => 'Passwort wählen',
    after: [works, ({ site }) => `Wenn Sie keine Einladung zu ${site} erwarten, ignorieren Sie diese Nachricht.`],
  },
  reset: {
    subject: ({ site }) => `Neues Passwort für ${site}`,
    before: [({ site }) => `Für Ihr Konto bei ${site} wurde ein neues Passwort angefordert.`],
    action: ({ username }) => `Neues Passwort für ${username} wählen`,
    after: [
      works,
      () => 'Wenn Sie es nicht angefordert haben, ignorieren Sie diese Nachricht: Ihr Passwort wurde nicht geändert.',
    ],
  },
  confirmation: {
    subject: ({ site }) => `Bestätigen Sie Ihre E-Mail-Adresse für ${site}`,
    before: [
      ({ site }) => `Diese E-Mail-Adresse wurde für ein Konto bei ${site} angegeben.`,
      () =>
        'Bestätigen Sie, dass sie Ihnen gehört. Nur eine bestätigte Adresse erhält Links für ein neues Passwort und Warnungen.',
    ],
    action: () => 'Adresse bestätigen',
    after: [works, () => 'Wenn das nicht Ihr Konto ist, ignorieren Sie diese Nachricht.'],
  },
  test: {
    subject: ({ site }) => `Testnachricht von ${site}`,
    text: ({ site }) => `${site} kann E-Mails an diese Adresse senden.`,
  },
  certificate: {
    subject: ({ site }) => `Kein neues HTTPS-Zertifikat für ${site}`,
    text: ({ site }) =>
      `Seit einem Tag ist es nicht gelungen, ein Zertifikat für ${site} zu erhalten. Wenn das jetzige abläuft, öffnen Browser Ihre Seiten nicht mehr.`,
    since: 'Seit',
    until: 'Zertifikat läuft ab',
    error: 'Letzter Fehler',
    action: 'Systemseite öffnen',
  },
  alert: {
    titles: {
      'new-device': ({ site }) => `Neues Gerät bei ${site} angemeldet`,
      'password-changed': ({ site }) => `Ihr Passwort für ${site} wurde geändert`,
      'key-created': ({ site }) => `Neuer API-Schlüssel für Ihr Konto bei ${site}`,
      'totp-added': ({ site }) => `Für Ihr Konto bei ${site} wurden Einmalcodes eingerichtet`,
      'totp-removed': ({ site }) => `Für Ihr Konto bei ${site} wurden die Einmalcodes entfernt`,
      'recovery-codes-replaced': ({ site }) => `Neue Wiederherstellungscodes für Ihr Konto bei ${site}`,
      'recovery-code-used': ({ site }) => `Anmeldung bei ${site} mit einem Wiederherstellungscode`,
      'passkey-added': ({ site }) => `Neuer Passkey für Ihr Konto bei ${site}`,
      'passkey-removed': ({ site }) => `Ein Passkey Ihres Kontos bei ${site} wurde gelöscht`,
      'provider-linked': ({ site }) => `Eine weitere Anmeldung wurde mit Ihrem Konto bei ${site} verknüpft`,
      'provider-unlinked': ({ site }) => `Eine verknüpfte Anmeldung Ihres Kontos bei ${site} wurde entfernt`,
      'factors-reset': ({ site }) => `Die Administration von ${site} hat Ihre zweiten Faktoren zurückgesetzt`,
      'email-changed': ({ site }) => `Die E-Mail-Adresse Ihres Kontos bei ${site} wurde geändert`,
    },
    account: 'Konto',
    advice: () =>
      'Wenn Sie das waren, müssen Sie nichts tun. Wenn nicht, ändern Sie sofort Ihr Passwort, beenden Sie die anderen Sitzungen und informieren Sie die Administration.',
    action: 'Konto öffnen',
  },
  facts: {
    atMs: 'Zeit',
    address: 'IP-Adresse',
    userAgent: 'Gerät',
    name: 'Name',
    provider: 'Anbieter',
    email: 'Neue Adresse',
  },
  footer: ({ site }) => `Diese Nachricht wurde automatisch von ${site} gesendet.`,
};
