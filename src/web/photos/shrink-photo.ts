import { bootstrap } from '../service/bootstrap.ts';
import { MAX_SIDE, sizeInPixels, type PixelSize } from './photo-limits.ts';

/*
 * Makes photos smaller that the service would refuse, and converts HEIC photos in browsers that show them.
 */

/** Browsers on phones have no larger canvas. */
const MAX_CANVAS_PIXELS = 16_000_000;
const QUALITY = 0.9;
const MAX_ATTEMPTS = 8;
/** The size of a file is not quite proportional to its pixels. */
const MARGIN = 0.9;

/** Photos wait for each other: a decoded one takes hundreds of megabytes. */
let last: Promise<unknown> = Promise.resolve();

/** @throws Error if the browser cannot decode the photo */
export function shrinkPhoto(file: File): Promise<File> {
  const next = last.then(() => shrink(file));
  last = next.catch(() => {});
  return next;
}

async function shrink(file: File): Promise<File> {
  const original = await sizeInPixels(file);
  if (original.width === 0) throw new Error('The browser does not support the format.');
  const { maxPhotoBytes, maxPhotoPixels } = bootstrap;
  let size = fitted(original, Math.min(maxPhotoPixels, MAX_CANVAS_PIXELS));
  const bitmap = await decode(file, size);
  try {
    for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
      const encoded = await encode(bitmap, size, isPhotograph(file));
      if (encoded.size <= maxPhotoBytes) return renamed(file, encoded);
      size = fitted(size, size.width * size.height * (maxPhotoBytes / encoded.size) * MARGIN);
    }
  } finally {
    bitmap.close();
  }
  throw new Error('The photo is too large even with few pixels.');
}

/** The size with at most this number of pixels. */
function fitted({ width, height }: PixelSize, pixels: number): PixelSize {
  const scale = Math.min(1, Math.sqrt(pixels / (width * height)), MAX_SIDE / Math.max(width, height));
  return { width: Math.max(1, Math.floor(width * scale)), height: Math.max(1, Math.floor(height * scale)) };
}

/** Scales while decoding, where the browser can. */
async function decode(file: File, { width, height }: PixelSize): Promise<ImageBitmap> {
  try {
    return await createImageBitmap(file, { resizeWidth: width, resizeHeight: height, resizeQuality: 'high' });
  } catch {
    // Safari shows HEIC photos, but makes bitmaps of elements only.
    const image = new Image();
    image.src = URL.createObjectURL(file);
    try {
      await image.decode();
      return await createImageBitmap(image, { resizeWidth: width, resizeHeight: height, resizeQuality: 'high' });
    } finally {
      URL.revokeObjectURL(image.src);
    }
  }
}

/** JPEG has no transparency. */
function isPhotograph({ type, name }: File): boolean {
  return /jpeg|hei[cf]/.test(type) || /\.(?:jpe?g|hei[cf])$/i.test(name);
}

/** @param isOpaque JPEG, otherwise WebP if the browser writes it */
async function encode(bitmap: ImageBitmap, { width, height }: PixelSize, isOpaque: boolean): Promise<Blob> {
  const canvas = document.createElement('canvas');
  canvas.width = width;
  canvas.height = height;
  const context = canvas.getContext('2d');
  if (context === null) throw new Error('The browser has no canvas of this size.');
  context.imageSmoothingQuality = 'high';
  context.drawImage(bitmap, 0, 0, width, height);
  if (!isOpaque) {
    const webp = await blobOf(canvas, 'image/webp');
    if (webp.type === 'image/webp') return webp;
  }
  context.globalCompositeOperation = 'destination-over';
  context.fillStyle = 'white';
  context.fillRect(0, 0, width, height);
  return blobOf(canvas, 'image/jpeg');
}

function blobOf(canvas: HTMLCanvasElement, type: string): Promise<Blob> {
  return new Promise((resolve, reject) => {
    const done = (blob: Blob | null) => (blob === null ? reject(new Error('The canvas is empty.')) : resolve(blob));
    canvas.toBlob(done, type, QUALITY);
  });
}

function renamed({ name }: File, encoded: Blob): File {
  const extension = encoded.type === 'image/webp' ? 'webp' : 'jpg';
  return new File([encoded], `${name.replace(/\.[^.]*$/, '')}.${extension}`, { type: encoded.type });
}
