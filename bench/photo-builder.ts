import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import sharp from 'sharp';

/*
 * Generates images that are like photographs for an encoder: gradual light, shapes of all sizes, and the noise of a
 * sensor.
 * Usage: node photo-builder.ts FOLDER COUNT
 */

const [folder = '', count = '1'] = process.argv.slice(2);
const SIZE = { width: 4000, height: 3000 };

/** Noise in dots of this size; enlarging them makes their edges soft. */
async function layer(dotPixels: number, strength: number) {
  const dots = { width: SIZE.width / dotPixels, height: SIZE.height / dotPixels, channels: 3 as const };
  const noise = randomBytes(dots.width * dots.height * dots.channels);
  for (let at = 0; at < noise.length; at++) noise[at] = 128 + ((noise[at] ?? 0) - 128) * strength;
  if (dotPixels === 1) return { input: noise, raw: dots, blend: 'overlay' as const };
  const enlarged = sharp(noise, { raw: dots }).resize({ ...SIZE, kernel: 'cubic', fit: 'fill' });
  return { input: await enlarged.raw().toBuffer(), raw: { ...SIZE, channels: 3 as const }, blend: 'overlay' as const };
}

function light(hue: number): Buffer {
  return Buffer.from(
    `<svg xmlns="http://www.w3.org/2000/svg" width="${SIZE.width}" height="${SIZE.height}"><linearGradient id="sky" x2="0.3" y2="1">` +
      `<stop stop-color="hsl(${hue},50%,80%)"/><stop offset="0.6" stop-color="hsl(${hue + 60},40%,50%)"/>` +
      `<stop offset="1" stop-color="hsl(${hue + 120},45%,25%)"/></linearGradient><rect width="100%" height="100%" fill="url(#sky)"/></svg>`,
  );
}

for (let number = 0; number < Number(count); number++) {
  const layers = await Promise.all([layer(100, 0.8), layer(5, 0.4), layer(1, 0.12)]);
  const photo = sharp(light(number * 80))
    .flatten()
    .composite(layers);
  await photo.jpeg({ quality: 90 }).toFile(join(folder, `photo-${number}.jpg`));
}
console.log('RESULT {}');
