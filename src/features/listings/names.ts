/* The words of this feature that tables of the core contain. */

export const GROUPS = { listings: 'Feeds for sites that list pets' } as const;

export const AUDIT_ACTIONS = [
  'listing.changed',
  'listing.key-created',
  'listing.key-revoked',
  'listing.upload-requested',
] as const;

export const JOB_NAMES = ['listing-uploads'] as const;

export const MAIL_KINDS = {
  /** To an administrator: uploads to a listing site have failed for a day. */
  'listing-unreached': 'staff',
} as const;

/** The source file of each page. */
export const PAGES = {
  '/admin/listings': 'listings-page.tsx',
  '/admin/listings/$site': 'listing-page.tsx',
} as const;

export const CHECKS = { listings: { title: 'Uploads to listing sites', problems: ['listing-failing'] } } as const;

export const PROBLEMS = {
  'listing-failing': {
    severity: 'warning',
    canRepair: false,
    message: 'Listing sites whose upload has failed six times or more: {count}. They may show adopted pets.',
    advice: 'The page Listings shows what the server said. Check the address, and upload there.',
  },
} as const;

export const SETTINGS = [
  {
    name: 'petfinder-upload-url',
    value: 'URL',
    default: '',
    help: 'upload the listing for Petfinder: sftp://user:password@host/folder/?host-key=SHA256:..., ftps:// or ftp://',
  },
  {
    name: 'adoptapet-upload-url',
    value: 'URL',
    default: '',
    help: 'upload the listing for Adopt-a-Pet: sftp://user:password@host/folder/?host-key=SHA256:..., ftps:// or ftp://',
  },
  {
    name: 'rescuegroups-upload-url',
    value: 'URL',
    default: '',
    help: 'upload the listing for RescueGroups: sftp://user:password@host/folder/?host-key=SHA256:..., ftps:// or ftp://',
  },
  {
    name: 'open-upload-url',
    value: 'URL',
    default: '',
    help: 'upload the open listing feed, as for the other sites',
  },
] as const;
