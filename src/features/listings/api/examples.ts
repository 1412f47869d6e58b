import type { Examples } from '../../../api/documents/examples/example.ts';

const OPEN = { site: 'open' };
const URL = 'https://pets.example.org/v2/feeds/open/pets.json';

export const LISTING_EXAMPLES = {
  updateListing: {
    parameters: OPEN,
    body: { on: true },
    response: { site: 'open', on: true, urls: [URL], sentPets: 0 },
  },
  createFeedKey: {
    parameters: OPEN,
    keep: { feedKey: '/key' },
    response: {
      key: 'mgf_dpA0YvQOf7cqCjjDSMKJoXQ5wIyKHE3e',
      urls: [`${URL}?key=mgf_dpA0YvQOf7cqCjjDSMKJoXQ5wIyKHE3e`],
    },
  },
  getListingFeed: { parameters: { ...OPEN, file: 'pets.json', key: '{{feedKey}}' } },
  listListings: {
    response: [
      { site: 'petfinder', on: false, urls: ['https://pets.example.org/v2/feeds/petfinder/pets.csv'], sentPets: 0 },
    ],
  },
  listListingPets: {
    parameters: { ...OPEN, limit: 1 },
    response: [
      {
        id: 1,
        name: 'Rex',
        status: 'available',
        listed: true,
        refused: false,
        problems: [],
        profile: { species: 'dog', breedPrimary: 'Beagle', sex: 'male', size: 'M', birthDate: '2024-05-01' },
      },
    ],
  },
  updateListingPet: {
    parameters: { ...OPEN, petId: 1 },
    body: { listed: false },
    response: { code: 200, type: 'unknown', message: '1' },
  },
  revokeFeedKey: { parameters: OPEN, response: { code: 200, type: 'unknown', message: 'open' } },
} as const satisfies Examples;
