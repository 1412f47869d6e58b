import { MenagerieError } from '../../../client/failures.ts';
import type { Language } from '../../../api/web/languages.ts';
import { plainClient } from '../../../web/service/client.ts';
import { answersIn } from './draft-checks.ts';
import type { EnquiryDraft } from './enquiry-draft.ts';
import type { EnquiryForm, LoadedForm } from './enquiry-form.ts';

interface Sending {
  petId: string;
  draft: EnquiryDraft;
  language: Language;
  /** The value of the field that people do not see. */
  website: string;
  loaded: LoadedForm;
  /** Reads the form again, with another token. */
  reload: () => Promise<LoadedForm>;
}

const CONFLICT = 409;
const MAX_TRIES = 4;

/** A longer one is a limit that people read about. */
const MAX_WAIT_SECONDS = 10;

/**
 * Sends an enquiry. A person never notices that the token of the form is too new, or too old: the page waits or gets
 * another one.
 *
 * @returns 'closed' if the shelter takes no enquiries about the pet any more, or none for now
 */
export async function sendEnquiry({ petId, reload, ...sending }: Sending): Promise<'sent' | 'closed'> {
  let { loaded } = sending;
  for (let tries = 1; ; tries++) {
    await waitUntilOldEnough(loaded);
    try {
      await plainClient.sendEnquiry({ petId: BigInt(petId), body: bodyOf(sending, loaded) });
      return 'sent';
    } catch (error) {
      if (!(error instanceof MenagerieError) || tries === MAX_TRIES) throw error;
      const { status, errors, retryAfterSeconds = Infinity } = error;
      if (errors.some(({ path }) => path === '/token')) {
        loaded = await reload();
        if (!loaded.form.isOpen) return 'closed';
      } else if (retryAfterSeconds <= MAX_WAIT_SECONDS) await pause(retryAfterSeconds * 1000);
      // An earlier try has arrived, and its response was lost; or the shelter has just closed the form.
      else if (status === CONFLICT) return takesEnquiries((await reload()).form) ? 'sent' : 'closed';
      else throw error;
    }
  }
}

/** Also if the form is closed for now: the enquiry that was sent may have been the last one of the day. */
function takesEnquiries({ isOpen, closedUntil }: EnquiryForm): boolean {
  return isOpen || closedUntil !== undefined;
}

function bodyOf({ draft, language, website }: Omit<Sending, 'petId' | 'reload'>, { form }: LoadedForm) {
  const { name, email, phone, message, visitDays } = draft;
  return {
    name,
    email: email.trim(),
    phone,
    message,
    answers: answersIn(draft, form.questions),
    visitDays: visitDays.filter((day) => day !== ''),
    language,
    token: form.token ?? '',
    website,
  };
}

async function waitUntilOldEnough({ form, loadedAtMs }: LoadedForm): Promise<void> {
  const leftMs = loadedAtMs + form.minSeconds * 1000 - performance.now();
  if (leftMs > 0) await pause(leftMs);
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, ms);
  });
}
