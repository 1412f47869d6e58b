import app from './app.json';
import catalogue from './catalogue.json';
import failure from './failure.json';
import pet from './pet.json';

/** The English texts of the pages that visitors open. */
export const texts = {
  app,
  catalogue,
  failure,
  pet,
};
