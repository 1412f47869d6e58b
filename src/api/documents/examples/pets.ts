import type { Examples } from './example.ts';

const REX = { petId: 4711 };

export const PET_EXAMPLES = {
  findPets: { parameters: { text: 'dog', status: 'available', limit: 2 } },
  countFacets: { parameters: { category: 'Dogs' } },
  listSuggestions: {
    parameters: { text: 'ju' },
    response: { names: [{ name: 'Juno', text: 'Juno', count: 1 }], categories: [], tags: [], breeds: [] },
  },
  listTags: { parameters: { limit: 1 }, response: [{ name: 'big', count: 5 }] },
  listCategories: { parameters: { limit: 1 }, response: [{ name: 'Cats', count: 6 }] },
  getStatistics: { parameters: { since: '2026-01-31', until: '2026-01-31' } },
  findPetsByStatus: { parameters: { status: 'available', limit: 1 } },
  findPetsByTags: { parameters: { tags: 'calm', limit: 1 } },
  getPetById: {
    parameters: { petId: 1 },
    response: {
      id: 1,
      category: { id: 1, name: 'Dogs' },
      name: 'Biscuit',
      photoUrls: ['https://pets.example.org/v2/photo/0141ad9639a15bf7a32c746a7cc4212f932264dcbc227924433747d3d1e868dc'],
      tags: [{ id: 1, name: 'scruffy' }],
      status: 'available',
    },
  },
  addPet: {
    body: {
      id: 4711,
      category: { name: 'Dogs' },
      name: 'Rex',
      photoUrls: [],
      tags: [{ name: 'calm' }],
      status: 'available',
    },
    response: {
      id: 4711,
      category: { name: 'Dogs' },
      name: 'Rex',
      photoUrls: [],
      tags: [{ name: 'calm' }],
      status: 'available',
    },
  },
  updatePet: {
    body: {
      id: 4711,
      category: { name: 'Dogs' },
      name: 'Rex',
      photoUrls: [],
      tags: [{ name: 'calm' }, { name: 'old' }],
      status: 'pending',
    },
    response: {
      id: 4711,
      category: { name: 'Dogs' },
      name: 'Rex',
      photoUrls: [],
      tags: [{ name: 'calm' }, { name: 'old' }],
      status: 'pending',
    },
  },
  patchPet: {
    parameters: REX,
    body: { name: 'Rex the second', tags: [{ name: 'calm' }] },
    response: {
      id: 4711,
      category: { name: 'Dogs' },
      name: 'Rex the second',
      photoUrls: [],
      tags: [{ name: 'calm' }],
      status: 'pending',
    },
  },
  updatePetWithForm: {
    parameters: REX,
    body: { name: 'Rex', status: 'sold' },
    response: { code: 200, type: 'unknown', message: '4711' },
  },
  replacePetProfile: {
    parameters: REX,
    body: { species: 'dog', breedPrimary: 'Boxer', birthDate: '2024-05-01', goodWithCats: false },
    response: { species: 'dog', breedPrimary: 'Boxer', birthDate: '2024-05-01', goodWithCats: false },
  },
  patchPetProfile: {
    parameters: REX,
    body: { size: 'L', goodWithCats: null },
    response: { species: 'dog', breedPrimary: 'Boxer', birthDate: '2024-05-01', size: 'L' },
  },
  getPetProfile: {
    parameters: REX,
    response: { species: 'dog', breedPrimary: 'Boxer', birthDate: '2024-05-01', size: 'L' },
  },
  changePets: {
    body: [
      { op: 'create', pet: { name: 'Kiwi', photoUrls: [], status: 'available' } },
      { op: 'patch', id: 4711, patch: { status: 'pending' } },
    ],
  },
} as const satisfies Examples;

export const PHOTO_EXAMPLES = {
  uploadFile: {
    parameters: REX,
    body: { additionalMetadata: 'Rex in the garden' },
    file: 'photo.gif',
    response: {
      code: 200,
      type: 'unknown',
      message: 'additionalMetadata: Rex in the garden\nFile uploaded to ./photo.gif, 46439 bytes',
    },
  },
  listPetPhotos: {
    parameters: REX,
    keep: { digest: '/0/digest' },
    response: [
      {
        url: 'https://pets.example.org/v2/photo/21895e4561ee20babc9e8b6feef5e101d1ccdf8cfff11383a928a0170ef6e0d4',
        digest: '21895e4561ee20babc9e8b6feef5e101d1ccdf8cfff11383a928a0170ef6e0d4',
        mediaType: 'image/jpeg',
        width: 1200,
        height: 900,
        byteLength: 53750,
        alt: 'Rex in the garden',
        placeholder: 'pTkOFYaoaHh/h3d8dqh4hViPctEI',
        sizes: {
          small: {
            url: 'https://pets.example.org/v2/photo/21895e4561ee20babc9e8b6feef5e101d1ccdf8cfff11383a928a0170ef6e0d4/small',
            width: 320,
            height: 240,
          },
          card: {
            url: 'https://pets.example.org/v2/photo/21895e4561ee20babc9e8b6feef5e101d1ccdf8cfff11383a928a0170ef6e0d4/card',
            width: 540,
            height: 405,
          },
          medium: {
            url: 'https://pets.example.org/v2/photo/21895e4561ee20babc9e8b6feef5e101d1ccdf8cfff11383a928a0170ef6e0d4/medium',
            width: 800,
            height: 600,
          },
          large: {
            url: 'https://pets.example.org/v2/photo/21895e4561ee20babc9e8b6feef5e101d1ccdf8cfff11383a928a0170ef6e0d4/large',
            width: 1200,
            height: 900,
          },
        },
      },
    ],
  },
  updatePetPhoto: { parameters: { ...REX, digest: '{{digest}}' }, body: { alt: 'Rex asleep', first: true } },
  reorderPetPhotos: { parameters: REX, body: { photos: ['{{digest}}'] } },
  getPhoto: { parameters: { digest: '{{digest}}' } },
  getResizedPhoto: { parameters: { digest: '{{digest}}', size: 'small' } },
  deletePetPhoto: { parameters: { ...REX, digest: '{{digest}}' }, response: [] },
} as const satisfies Examples;

export const HISTORY_EXAMPLES = {
  listPetHistory: {
    parameters: { ...REX, limit: 1 },
    keep: { version: '/0/version' },
    response: [
      {
        version: 45,
        at: '2026-11-26T09:00:00.000Z',
        action: 'edited',
        actor: { id: 14, name: 'admin' },
        changes: [
          {
            field: 'photoUrls',
            before: [
              'https://pets.example.org/v2/photo/21895e4561ee20babc9e8b6feef5e101d1ccdf8cfff11383a928a0170ef6e0d4',
            ],
            after: [],
          },
        ],
      },
    ],
  },
  getPetVersion: { parameters: { ...REX, version: '{{version}}' } },
  restorePetVersion: {
    parameters: { ...REX, version: '{{version}}' },
    response: {
      id: 4711,
      category: { name: 'Dogs' },
      name: 'Rex',
      photoUrls: [],
      tags: [{ name: 'calm' }],
      status: 'pending',
    },
  },
  deletePet: { parameters: REX, response: { code: 200, type: 'unknown', message: '4711' } },
  listDeletedPets: {
    parameters: { limit: 1 },
    response: [
      {
        id: 4711,
        category: { name: 'Dogs' },
        name: 'Rex',
        status: 'pending',
        deletedAt: '2026-11-26T09:00:00.000Z',
        actor: { id: 14, name: 'admin' },
      },
    ],
  },
  restorePet: {
    parameters: REX,
    response: {
      id: 4711,
      category: { name: 'Dogs' },
      name: 'Rex',
      photoUrls: [],
      tags: [{ name: 'calm' }],
      status: 'pending',
    },
  },
  exportPets: { parameters: { format: 'csv', include: 'profile' } },
  exportPetHistory: {},
} as const satisfies Examples;
