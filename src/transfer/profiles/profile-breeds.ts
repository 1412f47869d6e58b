import { nameWithSlash, withoutMix } from '../../domain/pets/breed-names.ts';

/* Breeds as programs and listing sites spell them: `Retriever, Labrador`, `Labrador Retriever Mix`, `Poodle/Boxer`. */

interface Breeds {
  primary: string;
  secondary: string | undefined;
  /** Undefined if the text does not say it. */
  isMixed: boolean | undefined;
}

/** Groups of breeds, which some programs write before the breed. */
const GROUPS = new Set(
  (
    'beagle bulldog cattledog chihuahua collie corgi coonhound dachshund foxhound greyhound hound mastiff malamute ' +
    'mountaindog pinscher pointer poodle retriever schnauzer setter sheepdog shepherd spaniel spitz terrier waterdog ' +
    'wolfhound domestic longhair shorthair mediumhair'
  ).split(' '),
);

/** Splits a text into the breeds of a mix. The name of one breed is not split, even if sites write it with a slash. */
export function readBreeds(text: string): Breeds {
  const pure = withoutMix(text);
  const isMarked = pure !== text;
  const one = pure.includes('/') ? nameWithSlash(pure) : undefined;
  const [primary = '', secondary, third] = (one === undefined ? pure.split('/') : [one])
    .map((part) => inOrder(part.trim()))
    .filter((part) => part !== '');
  // More than two are no list of two.
  if (third !== undefined || primary === '') return { primary: text, secondary: undefined, isMixed: undefined };
  const isMixed = isMarked || secondary !== undefined ? true : undefined;
  return { primary, secondary, isMixed };
}

/** Whether a text names no breed, such as `Mixed Breed (Medium)`. */
export function isOnlyMix(text: string): boolean {
  return /^(?:mix|mixed|mixed breed|cross|crossbreed|mischling)(?: \([^()]*\))?$/i.test(text);
}

function inOrder(breed: string): string {
  const [group = '', name = '', more] = breed.split(', ');
  const isGroup = GROUPS.has(group.toLowerCase().replaceAll(/[\s-]/g, ''));
  return isGroup && name !== '' && more === undefined ? `${name} ${group}` : breed;
}
