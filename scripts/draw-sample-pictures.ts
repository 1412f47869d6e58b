import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import sharp from 'sharp';
import { samplePictures } from './sample-pictures/all-pictures.ts';

/** The results are checked in, so that nobody has to draw them before trying the sample catalogue. */
const DIRECTORY = join(import.meta.dirname, '..', 'assets', 'sample-pictures');

/** They travel with the repository and are loaded twenty at a time: each has to stay small. */
const MOST_BYTES = 60_000;

/** The best quality is as good as anyone can see; a busy picture may need less, but below the least it would show. */
const BEST_QUALITY = 82;
const LEAST_QUALITY = 66;

/** Rasterises one picture, as well as its size allows. Fur among leaves takes more bytes than a plain sky. */
async function rasterise(name: string, svg: string): Promise<Buffer> {
  // The touch of softness takes the harshness off the vector edges, and off the file size.
  const pixels = await sharp(Buffer.from(svg)).flatten().blur(0.5).png({ compressionLevel: 1 }).toBuffer();
  for (let quality = BEST_QUALITY; quality >= LEAST_QUALITY; quality -= 2) {
    const jpeg = await sharp(pixels).jpeg({ quality, mozjpeg: true }).toBuffer();
    if (jpeg.length < MOST_BYTES) return jpeg;
  }
  throw new Error(`${name} has too much detail to stay below ${MOST_BYTES} bytes`);
}

await mkdir(DIRECTORY, { recursive: true });
let total = 0;
// One after the other: this is run rarely, and may share its machine with others.
for (const [name, svg] of samplePictures()) {
  const jpeg = await rasterise(name, svg);
  await writeFile(join(DIRECTORY, `${name}.jpg`), jpeg);
  total += jpeg.length;
  console.log(`${name}.jpg: ${Math.round(jpeg.length / 1000)} kB`);
}
console.log(`Total: ${Math.round(total / 1000)} kB`);
