/* The words of this feature that tables of the core contain. */

export const GROUPS = { enquiries: 'Enquiries about pets: the form, and what the staff does with them' } as const;

export const AUDIT_ACTIONS = [
  'enquiry-settings.changed',
  'enquiry.changed',
  'enquiry.noted',
  'enquiry.answered',
  'enquiry.deleted',
  'enquiry.erased',
  'enquiry.exported',
] as const;

export const SUBJECT_KINDS = ['enquiry'] as const;

export const MAIL_KINDS = {
  /** To the shelter: an enquiry with everything that the person has sent. */
  enquiry: 'staff',
  /** To the person: an answer of staff. `details.entry` is its number. */
  'enquiry-answer': 'staff',
  /** To the person: the shelter has the enquiry. It contains nothing that the person has sent. */
  'enquiry-received': 'everyone',
} as const;

/** As in `domain/accounts/mail-limits.ts`. */
export const MAIL_LIMITS = { 'enquiry-answer': {} } as const;

/** The source file of each page. */
export const PAGES = {
  '/pets/$petId/enquire': 'enquire-page.tsx',
  '/enquiries': 'staff-pages.ts',
  '/enquiries/$enquiryId': 'staff-pages.ts',
  '/admin/enquiries': 'enquiry-settings-page.tsx',
} as const;

export const SITE_RECORDS = ['enquiry-settings'] as const;

export const PROBLEMS_WITH_MAIL = {
  'enquiries-without-recipient': {
    severity: 'warning',
    canRepair: false,
    message: 'Pets have the form for enquiries, but no address gets them by e-mail.',
    advice: 'Set the recipient in the settings of the enquiries, or the e-mail address of the organisation.',
  },
} as const;

export const PROBLEMS_WITHOUT_MAIL = {
  'enquiries-not-mailed': {
    severity: 'warning',
    canRepair: false,
    message: 'Pets have the form for enquiries, but the service sends no e-mail.',
    advice: 'Set --smtp-url, or have the staff look at the page of the enquiries every day.',
  },
} as const;
