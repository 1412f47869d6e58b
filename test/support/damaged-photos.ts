import { deflateSync, inflateSync } from 'node:zlib';
import sharp from 'sharp';
import { avifWithBrand } from './avif-files.ts';
import { jpegSegment, pngChunk } from './hostile-photos.ts';
import { makePhoto } from './photos.ts';

/* Files that violate their format, as cameras, phones and interrupted uploads produce them. */

export interface DamagedPhoto {
  name: string;
  file: Buffer;
  /** The photo without damage. */
  original: Buffer;
  /** Whether the file is accepted: it has all pixels, and no wrong checksum of them. */
  isWhole: boolean;
}

type Damages = Readonly<Record<string, Buffer>>;

const ZEROS = Buffer.alloc(500);
/** The beginning of a video that follows the photo. */
const VIDEO = Buffer.concat([Buffer.from('\0\0\0\x18ftypmp42\0\0\0\0isommp42', 'latin1'), Buffer.alloc(300, 0xff)]);

function inserted(file: Buffer, at: number, ...parts: readonly Buffer[]): Buffer {
  return Buffer.concat([file.subarray(0, at), ...parts, file.subarray(at)]);
}

function flipped(file: Buffer, at: number): Buffer {
  const changed = Buffer.from(file);
  changed[at]! ^= 1;
  return changed;
}

const half = (file: Buffer) => file.subarray(0, file.byteLength >> 1);

function jpegs(jpeg: Buffer): Record<'whole' | 'partial', Damages> {
  const scan = jpeg.lastIndexOf(Buffer.of(0xff, 0xda));
  const exif = (data: Buffer) =>
    inserted(jpeg, 2, jpegSegment(0xe1, Buffer.concat([Buffer.from('Exif\0\0', 'latin1'), data])));
  const whole = {
    'zeros after the end': Buffer.concat([jpeg, ZEROS]),
    'a second photo after the end': Buffer.concat([jpeg, jpeg]),
    'a video after the end': Buffer.concat([jpeg, VIDEO]),
    'data between segments': inserted(jpeg, scan, ZEROS),
    'fill bytes between segments': inserted(jpeg, scan, Buffer.alloc(5, 0xff)),
    'data before the end': inserted(jpeg, jpeg.byteLength - 2, Buffer.of(7)),
    'a restart marker before the pixels': inserted(jpeg, 2, Buffer.of(0xff, 0xd0)),
    'a segment of length 0': inserted(jpeg, 2, Buffer.of(0xff, 0xe5, 0, 0)),
    'JFIF with a wrong thumbnail': inserted(
      jpeg,
      2,
      jpegSegment(0xe0, Buffer.from('JFIF\0\x09\x01\0\0\x01\0\x01PP', 'latin1')),
    ),
    'damaged EXIF': exif(Buffer.from(Array.from({ length: 300 }, (_, index) => (index * 97) & 255))),
    'EXIF that refers to itself': exif(
      Buffer.from('MM\0*\0\0\0\x08\0\x01\x87\x69\0\x04\0\0\0\x01\0\0\0\x08', 'latin1'),
    ),
    'no end': jpeg.subarray(0, -2),
    'half an end': jpeg.subarray(0, -1),
  };
  const partial = {
    'half of the file': half(jpeg),
    'three bytes missing': jpeg.subarray(0, -3),
    'zeros instead of the second half': Buffer.concat([half(jpeg), ZEROS]),
    'only a header': jpeg.subarray(0, scan),
  };
  return { whole, partial };
}

function pngs(png: Buffer): Record<'whole' | 'partial', Damages> {
  const pixels = png.indexOf('IDAT', 0, 'latin1') - 4;
  const end = png.byteLength - 12;
  const compressed = png.subarray(pixels + 8, end - 4);
  const header = png.subarray(0, pixels);
  const withPixels = (data: Buffer) => Buffer.concat([header, pngChunk('IDAT', data), png.subarray(end)]);
  const text = pngChunk('tEXt', Buffer.from('Comment\0text', 'latin1'));
  const longer = Buffer.from(png);
  longer.writeUInt32BE(compressed.byteLength + 500, pixels);
  const whole = {
    'data after the end': Buffer.concat([png, ZEROS]),
    'no end': png.subarray(0, end),
    'a wrong checksum of a text': inserted(png, pixels, flipped(text, text.byteLength - 1)),
    'a wrong checksum of a gamma': inserted(png, pixels, flipped(pngChunk('gAMA', Buffer.of(0, 1, 134, 160)), 15)),
    'an unknown chunk': inserted(png, pixels, pngChunk('abcd', Buffer.of(1))),
    'pixels in many chunks': Buffer.concat([header, ...pieces(compressed), png.subarray(end)]),
  };
  const partial = {
    'half of the file': half(png),
    'a wrong checksum of the pixels': flipped(png, end - 1),
    'a wrong checksum before compression': withPixels(flipped(compressed, compressed.byteLength - 1)),
    'no checksum before compression': withPixels(compressed.subarray(0, -4)),
    'the last 18 bytes missing': png.subarray(0, -18),
    'a wrong length of the pixels': longer,
    'a row missing': withPixels(deflateSync(inflateSync(compressed).subarray(0, -361))),
    'the last 40 bytes missing': png.subarray(0, -40),
    'a wrong checksum of the header': flipped(png, 30),
  };
  return { whole, partial };
}

function pieces(data: Buffer): readonly Buffer[] {
  const LENGTH = 10;
  return Array.from({ length: Math.ceil(data.byteLength / LENGTH) }, (_, index) =>
    pngChunk('IDAT', data.subarray(index * LENGTH, (index + 1) * LENGTH)),
  );
}

export async function damagedPhotos(): Promise<readonly DamagedPhoto[]> {
  const png = await makePhoto({ format: 'png' });
  const of = (format: 'jpeg' | 'webp' | 'gif' | 'avif', options = {}) =>
    sharp(png).toFormat(format, options).toBuffer();
  const [jpeg, webp, gif, avif] = [
    await of('jpeg'),
    await of('webp'),
    await of('gif'),
    await of('avif', { effort: 0 }),
  ];
  const progressive = await of('jpeg', { progressive: true });
  const lastScan = progressive.lastIndexOf(Buffer.of(0xff, 0xda));
  const lists: [name: string, original: Buffer, Record<'whole' | 'partial', Damages>][] = [
    ['JPEG', jpeg, jpegs(jpeg)],
    ['PNG', png, pngs(png)],
    [
      'progressive JPEG',
      progressive,
      {
        whole: { 'no end': progressive.subarray(0, -2) },
        partial: { 'no last scan': progressive.subarray(0, lastScan), 'half of the file': half(progressive) },
      },
    ],
    ['WebP', webp, { whole: { 'data after the end': Buffer.concat([webp, ZEROS]) }, partial: { half: half(webp) } }],
    [
      'GIF',
      gif,
      {
        whole: { 'no end': gif.subarray(0, -1), 'data after the end': Buffer.concat([gif, ZEROS]) },
        partial: { 'half of the file': half(gif) },
      },
    ],
    [
      'AVIF',
      avif,
      {
        whole: {
          'data after the end': Buffer.concat([avif, ZEROS]),
          'another first brand': avifWithBrand(avif, 'mif1'),
        },
        partial: { 'half of the file': half(avif), 'a byte missing': avif.subarray(0, -1) },
      },
    ],
  ];
  return lists.flatMap(([format, original, { whole, partial }]) => [
    ...named(format, original, whole, true),
    ...named(format, original, partial, false),
  ]);
}

function named(format: string, original: Buffer, damages: Damages, isWhole: boolean): readonly DamagedPhoto[] {
  return Object.entries(damages).map(([damage, file]) => ({ name: `${format}, ${damage}`, file, original, isWhole }));
}
