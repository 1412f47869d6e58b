import { Type } from 'typebox';

/** The parts of operation 8. They are read as they come, by `http/pets/upload.ts`. */
export const SentPicture = Type.Object(
  {
    additionalMetadata: Type.Optional(
      Type.String({
        description:
          'What the picture shows, for those who do not see it; what is longer than 1,000 characters is cut.',
      }),
    ),
    file: Type.Unsafe<Blob>({ type: 'string', format: 'binary', description: 'The picture.' }),
  },
  { title: 'SentPicture' },
);
export type SentPicture = Type.Static<typeof SentPicture>;
