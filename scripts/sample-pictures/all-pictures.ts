import { catScenes } from './cat-scenes.ts';
import { cats } from './cats.ts';
import { dogScenes } from './dog-scenes.ts';
import { dogs } from './dogs.ts';
import { lionScenes } from './lion-scenes.ts';
import { lions } from './lions.ts';
import { rabbitScenes } from './rabbit-scenes.ts';
import { rabbits } from './rabbits.ts';
import { placed, Sheet, soft, WIDTH } from './sheet.ts';

type Draw = (sheet: Sheet) => string;

/** Puts the scene a little out of focus behind the animal. The sharp copy below shows where softness would fade the edges. */
const distant = (sheet: Sheet, scene: string): string => scene + soft(sheet, 1.1, scene);

/** The pictures of one species; the compiler sees to it that every animal has a scene. */
const album = <Name extends string>(
  species: string,
  animals: Readonly<Record<Name, Draw>>,
  scenes: Readonly<Record<NoInfer<Name>, Draw>>,
): [string, string][] =>
  (Object.keys(animals) as Name[]).map((name) => {
    const sheet = new Sheet();
    const picture = distant(sheet, scenes[name](sheet)) + placed(animals[name](sheet), [WIDTH / 2, 0]);
    return [`${species}-${name}`, sheet.document(picture)];
  });

/** Every picture by its file name (without extension), as SVG. */
export const samplePictures = (): [string, string][] => [
  ...album('dog', dogs, dogScenes),
  ...album('cat', cats, catScenes),
  ...album('rabbit', rabbits, rabbitScenes),
  ...album('lion', lions, lionScenes),
];
