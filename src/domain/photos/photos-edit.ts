import { Failure, invalidInput, type FieldProblem } from '../failure.ts';
import { asOwnPhoto, digestOfOwnPhoto, digestOfPhotoUrl, ownPhoto } from './photo.ts';

export type PhotosEdit =
  /** Keeps these photos, given by digest or URL, in this order, and deletes the others. */
  | { kind: 'arrange'; names: readonly string[] }
  /** Deletes a stored photo. */
  | { kind: 'remove'; digest: string }
  /** Moves a stored photo to the front. */
  | { kind: 'put-first'; digest: string }
  /** Changes nothing, but requires that the pet has this stored photo. */
  | { kind: 'keep'; digest: string };

/** @throws Failure for a photo that the pet does not have: `invalid-input` for `arrange`, `not-found` for the others */
export function withPhotosEdited(photoUrls: readonly string[], edit: PhotosEdit): readonly string[] {
  if (edit.kind === 'arrange') return arranged(photoUrls, edit.names);
  const isPhoto = (url: string) => digestOfOwnPhoto(url) === edit.digest;
  if (!photoUrls.some(isPhoto)) throw petHasNoSuchPhoto();
  if (edit.kind === 'keep') return photoUrls;
  const others = photoUrls.filter((url) => !isPhoto(url));
  return edit.kind === 'remove' ? others : [...photoUrls.filter(isPhoto), ...others];
}

export function petHasNoSuchPhoto(): Failure {
  return new Failure('not-found', 'The pet does not have this photo');
}

function arranged(photoUrls: readonly string[], names: readonly string[]): readonly string[] {
  const left = [...photoUrls];
  const problems: FieldProblem[] = [];
  const taken = names.flatMap((name, index) => {
    const at = positionOf(left, name);
    if (at !== -1) return left.splice(at, 1);
    const isTwice = positionOf(photoUrls, name) !== -1;
    problems.push({
      path: `/photos/${index}`,
      message: isTwice ? 'names a photo twice' : 'names a photo that the pet does not have',
    });
    return [];
  });
  if (problems.length > 0) throw invalidInput(problems);
  return taken;
}

/** An exact match has precedence over another URL of the same photo: a pet may have both. */
function positionOf(photoUrls: readonly string[], name: string): number {
  const digest = digestOfPhotoUrl(name);
  const own = digest === undefined ? ownPhoto(name) : asOwnPhoto(name);
  const exact = photoUrls.findIndex((url) => url === name || url === own);
  return exact !== -1 ? exact : photoUrls.findIndex((url) => digestOfOwnPhoto(url) === (digest ?? name));
}
