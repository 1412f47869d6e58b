import { Failure, invalidInput, type FieldProblem } from '../failure.ts';
import { asOwnPhoto, digestOfOwnPhoto, digestOfPhotoUrl, ownPhoto } from './photo.ts';

/** What a pet does with the pictures that it has. */
export type PhotosEdit =
  /** Has some or all of them, in this order: each by its digest, or by its address. */
  | { kind: 'arrange'; names: readonly string[] }
  /** Lets go of one of ours, wherever it stands. */
  | { kind: 'remove'; digest: string }
  /** Shows one of ours before all others. */
  | { kind: 'put-first'; digest: string }
  /** Leaves all as it is, if the pet has this one of ours. */
  | { kind: 'keep'; digest: string };

/** @throws Failure `invalid-input` for an order that names what the pet does not have, `not-found` for a picture that it does not have */
export function withPhotosEdited(photoUrls: readonly string[], edit: PhotosEdit): readonly string[] {
  if (edit.kind === 'arrange') return arranged(photoUrls, edit.names);
  const isIt = (url: string) => digestOfOwnPhoto(url) === edit.digest;
  if (!photoUrls.some(isIt)) throw petHasNoSuchPhoto();
  if (edit.kind === 'keep') return photoUrls;
  const others = photoUrls.filter((url) => !isIt(url));
  return edit.kind === 'remove' ? others : [...photoUrls.filter(isIt), ...others];
}

export function petHasNoSuchPhoto(): Failure {
  return new Failure('not-found', 'The pet has no such picture');
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
      message: isTwice ? 'names a picture once more' : 'names a picture that the pet does not have',
    });
    return [];
  });
  if (problems.length > 0) throw invalidInput(problems);
  return taken;
}

/** An address that is exactly the pet's counts before one of the same picture: a pet may have both. */
function positionOf(photoUrls: readonly string[], name: string): number {
  const digest = digestOfPhotoUrl(name);
  const own = digest === undefined ? ownPhoto(name) : asOwnPhoto(name);
  const exact = photoUrls.findIndex((url) => url === name || url === own);
  return exact !== -1 ? exact : photoUrls.findIndex((url) => digestOfOwnPhoto(url) === (digest ?? name));
}
