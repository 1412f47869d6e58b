/** The pet that the measurements store and that the bare server answers; load.lua has it once more, for wrk. */
export const NEW_PET = JSON.stringify({
  category: { id: 1, name: 'Dogs' },
  name: 'doggie',
  photoUrls: ['https://pets.example.org/1.jpg'],
  tags: [
    { id: 1, name: 'friendly' },
    { id: 2, name: 'small' },
  ],
  status: 'available',
});
