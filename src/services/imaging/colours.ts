import { fileURLToPath } from 'node:url';
import sharp, { type Metadata, type Sharp } from 'sharp';
import { colourSpaceOf } from './icc-profile.ts';

/**
 * The profile of `cicpProfile(1, 13)` as version 2. For a target of version 4, as the one of libvips is, the library
 * would change dark colours: browsers do not (black point compensation).
 */
const SRGB_PROFILE = fileURLToPath(new URL('../../../assets/srgb.icc', import.meta.url));

const GREY: ReadonlySet<string> = new Set(['b-w', 'grey16']);

/**
 * Converts a photo to sRGB as browsers do: first to 8 bits, then by its profile. Without these options, sharp converts
 * photos with more bits to Display P3.
 */
export async function inSrgb(photo: Sharp, { space, icc }: Pick<Metadata, 'space' | 'icc'>): Promise<Sharp> {
  const profiled = icc === undefined || hasProgram(icc) ? undefined : colourSpaceOf(icc);
  if (space === 'cmyk') return profiled === 'CMYK' ? converted(photo, 'cmyk') : fromInks(photo);
  if (profiled === undefined) return photo.pipelineColourspace('srgb').toColourspace('srgb');
  return converted(photo, GREY.has(space ?? '') && profiled === 'GRAY' ? 'b-w' : 'srgb');
}

/**
 * Whether a colour profile has multi-processing elements: any number of steps, each executed for every pixel. They are
 * very rare.
 */
function hasProgram(profile: Buffer): boolean {
  return profile.includes('mpet');
}

/** @param space that of the profile */
function converted(photo: Sharp, space: 'srgb' | 'b-w' | 'cmyk'): Sharp {
  return photo.pipelineColourspace(space).toColourspace(space).withIccProfile(SRGB_PROFILE, { attach: false });
}

/**
 * Multiplies the light that each colour leaves by the one that black leaves, as browsers do for inks without a profile.
 */
async function fromInks(photo: Sharp): Promise<Sharp> {
  const lights = photo.pipelineColourspace('cmyk').toColourspace('cmyk').negate().raw();
  const { data, info } = await lights.toBuffer({ resolveWithObject: true });
  // The light of black as transparency before a black background.
  return sharp(data, { raw: { width: info.width, height: info.height, channels: 4 } }).flatten({ background: 'black' });
}
