import account from './account.json';
import administration from './administration.json';
import app from './app.json';
import catalogue from './catalogue.json';
import dashboard from './dashboard.json';
import editing from './editing.json';
import failure from './failure.json';
import history from './history.json';
import listEditing from './list-editing.json';
import pet from './pet.json';
import petPage from './pet-page.json';
import photos from './photos.json';
import setup from './setup.json';
import transfer from './transfer.json';

/** Every text of the application in German. */
export const texts = {
  account,
  administration,
  app,
  catalogue,
  dashboard,
  editing,
  failure,
  history,
  listEditing,
  pet,
  petPage,
  photos,
  setup,
  transfer,
};
