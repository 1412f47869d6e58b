import type { QueueActivity } from '../../domain/activity.ts';
import type { Mailer } from '../../domain/mail/ports.ts';
import type { Imaging } from '../../domain/photos/ports.ts';
import type { Tracing } from '../../domain/tracing.ts';
import type { ImagingSettings } from '../../services/imaging/imaging.ts';
import type { Config, MailSettings } from '../configuration/config.ts';
import type { Logger } from '../log/log.ts';
import { VERSION } from '../system/version.ts';

/* Libraries that are loaded when they are first used. */

export interface MeasuredImaging extends Imaging {
  activity(): QueueActivity;
}

const NO_ACTIVITY: QueueActivity = { waiting: 0, running: 0, durations: new Map() };

/** Loaded on first use: a server in a test suite must start fast, and may never process a photo. */
export function lazyImaging(settings: ImagingSettings): MeasuredImaging {
  let loading: Promise<MeasuredImaging> | undefined;
  let loaded: MeasuredImaging | undefined;
  const load = () => (loading ??= loadImaging().then((SharpImaging) => (loaded = new SharpImaging(settings))));
  return {
    accepts: async (size) => (await load()).accepts(size),
    prepare: async (source) => (await load()).prepare(source),
    resize: async (bytes, pixels, format) => (await load()).resize(bytes, pixels, format),
    placeholder: async (bytes) => (await load()).placeholder(bytes),
    activity: () => loaded?.activity() ?? NO_ACTIVITY,
  };
}

/** Blocks the event loop for some tens of milliseconds, so a service loads it before it listens. */
export async function loadImaging() {
  const { SharpImaging } = await import('../../services/imaging/imaging.ts');
  return SharpImaging;
}

/** Sends with the settings of the moment; each message fails while there are none. */
export function liveMailer(current: () => MailSettings | undefined): Mailer {
  let mailer: Mailer | undefined;
  let used: MailSettings | undefined;
  return {
    async send(mail, signal) {
      const settings = current();
      if (settings === undefined) return { kind: 'failed', answer: 'The service sends no e-mail.' };
      if (mailer === undefined || used !== settings) [mailer, used] = [lazyMailer(settings), settings];
      return mailer.send(mail, signal);
    },
  };
}

/** Loads the libraries on first use: they take memory, and many services send few messages. */
function lazyMailer(settings: MailSettings): Mailer {
  let loading: Promise<Mailer> | undefined;
  const load = async () => {
    const { SmtpMailer } = await import('../../services/mail/smtp-mailer.ts');
    return new SmtpMailer(settings);
  };
  return { send: async (mail, signal) => (await (loading ??= load())).send(mail, signal) };
}

/** Loads the library on first use: many services never have a story to show. */
export async function markdownToHtml(markdown: string): Promise<string> {
  const { markdownHtml } = await import('../../services/markdown/markdown-html.ts');
  return markdownHtml(markdown);
}

export async function markdownToText(markdown: string): Promise<string> {
  const { markdownText } = await import('../../services/markdown/markdown-text.ts');
  return markdownText(markdown);
}

/** Loads the OpenTelemetry SDK, if it is configured: otherwise, it would take 200 ms of a start. */
export async function startTracing({ tracing }: Config, log: Logger): Promise<Tracing | undefined> {
  if (tracing === undefined) return undefined;
  const { OtlpTracing } = await import('../../services/tracing/otlp-tracing.ts');
  const onTrouble = (reason: string) => log.warn({ reason }, 'sending traces failed');
  return new OtlpTracing({ ...tracing, version: VERSION, onTrouble });
}
