/** `pet` is empty if its name may be a text of a stranger. */
type AboutPet = (values: { site: string; pet: string }) => string;

/** The texts of messages about enquiries in one language. */
export interface EnquiryTexts {
  /** The message to the shelter. */
  subject: (values: { pet: string; sender: string }) => string;
  facts: Readonly<Record<'pet' | 'name' | 'email' | 'phone', string>>;
  answer: Readonly<Record<'yes' | 'no', string>>;
  advice: string;
  action: string;
  /** The message to the person, without anything that the person has sent. */
  receivedSubject: AboutPet;
  received: readonly AboutPet[];
  /** The message to the person, with the answer of the staff. */
  answerSubject: AboutPet;
  /** A person wrote the answer: it was not sent automatically. */
  answerFooter: (site: string) => string;
  /** Only if the shelter gets replies. */
  reply: string;
}

const aboutInEnglish = (pet: string) => (pet === '' ? '' : ` about ${pet}`);

export const ENGLISH: EnquiryTexts = {
  subject: ({ pet, sender }) => `Enquiry about ${pet} from ${sender}`,
  facts: { pet: 'Pet', name: 'Name', email: 'E-mail', phone: 'Telephone' },
  answer: { yes: 'Yes', no: 'No' },
  advice: 'A reply to this message goes to the person. The service does not keep it.',
  action: 'Open the enquiry',
  receivedSubject: ({ pet, site }) => `Your enquiry${aboutInEnglish(pet)} has reached ${site}`,
  received: [
    ({ pet, site }) => `Thank you for your enquiry${aboutInEnglish(pet)}. ${site} will answer you.`,
    () => 'If you did not write it, ignore this message: somebody has used your address.',
  ],
  answerSubject: ({ pet, site }) => `Answer of ${site}${aboutInEnglish(pet)}`,
  answerFooter: (site) => `You asked ${site} about a pet.`,
  reply: 'A reply to this message goes to the shelter.',
};

const aboutInGerman = (pet: string) => (pet === '' ? '' : ` zu ${pet}`);

export const GERMAN: EnquiryTexts = {
  subject: ({ pet, sender }) => `Anfrage zu ${pet} von ${sender}`,
  facts: { pet: 'Tier', name: 'Name', email: 'E-Mail', phone: 'Telefon' },
  answer: { yes: 'Ja', no: 'Nein' },
  advice: 'Eine Antwort auf diese Nachricht geht an die Person. Der Dienst speichert sie nicht.',
  action: 'Anfrage öffnen',
  receivedSubject: ({ pet, site }) => `Ihre Anfrage${aboutInGerman(pet)} ist bei ${site} angekommen`,
  received: [
    ({ pet, site }) => `Vielen Dank für Ihre Anfrage${aboutInGerman(pet)}. ${site} wird Ihnen antworten.`,
    () => 'Wenn Sie nicht geschrieben haben, ignorieren Sie diese Nachricht: Jemand hat Ihre Adresse verwendet.',
  ],
  answerSubject: ({ pet, site }) => `Antwort von ${site}${aboutInGerman(pet)}`,
  answerFooter: (site) => `Sie haben bei ${site} nach einem Tier gefragt.`,
  reply: 'Eine Antwort auf diese Nachricht geht an das Tierheim.',
};
