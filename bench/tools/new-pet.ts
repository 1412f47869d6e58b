/** The pet that measurements add and that the bare server returns. */
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
