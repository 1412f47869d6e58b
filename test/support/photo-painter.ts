import sharp from 'sharp';

/* The program that makes the photos of `makePhoto`, one for each message, until its parent exits. */

export type PhotoFormat = 'jpeg' | 'png' | 'webp' | 'gif' | 'avif' | 'tiff';

export interface PhotoOptions {
  width?: number;
  height?: number;
  format?: PhotoFormat;
  /** Different seeds make different photos. */
  seed?: number;
  /** Writes EXIF with a camera, a GPS position and this orientation (1 to 8). */
  orientation?: number;
}

export interface PaintingOrder {
  number: number;
  options: PhotoOptions;
}

export interface PaintedPhoto {
  number: number;
  bytes?: Uint8Array;
  error?: string;
}

const EXIF = {
  IFD0: { Make: 'Secretcam', Copyright: 'Somebody' },
  IFD3: {
    GPSLatitudeRef: 'N',
    GPSLatitude: '51/1 30/1 3230/100',
    GPSLongitudeRef: 'W',
    GPSLongitude: '0/1 7/1 4366/100',
  },
};

async function paint(options: PhotoOptions): Promise<Buffer> {
  const { width = 120, height = 80, format = 'jpeg', seed = 0, orientation } = options;
  const pixels = Buffer.alloc(width * height * 3);
  for (let y = 0, at = 0; y < height; y++)
    for (let x = 0; x < width; x++) {
      pixels[at++] = (x * 7 + seed * 31) & 255;
      pixels[at++] = (y * 5 + seed * 17) & 255;
      pixels[at++] = ((x ^ y) + seed * 3) & 255;
    }
  let photo = sharp(pixels, { raw: { width, height, channels: 3 }, limitInputPixels: false });
  if (orientation !== undefined) photo = photo.withExif(EXIF).withMetadata({ orientation });
  return photo.toFormat(format, { quality: 80 }).toBuffer();
}

process.on('message', ({ number, options }: PaintingOrder) => {
  const response = (painted: Omit<PaintedPhoto, 'number'>) => process.send?.({ number, ...painted });
  paint(options).then(
    (bytes) => response({ bytes }),
    (error: unknown) => response({ error: String(error) }),
  );
});
