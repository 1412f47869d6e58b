import { STAFF_TEXTS } from '../../../features/texts/staff-en.ts';
import { merged } from '../../features/merged-texts.ts';
import about from './about.json';
import account from './account.json';
import administration from './administration.json';
import editing from './editing.json';
import history from './history.json';
import listEditing from './list-editing.json';
import photos from './photos.json';
import playground from './playground.json';
import profileForm from './profile-form.json';
import requests from './requests.json';
import setup from './setup.json';
import signIn from './sign-in.json';
import transfer from './transfer.json';

export const texts = merged(
  {
    about,
    account,
    administration,
    editing,
    history,
    listEditing,
    photos,
    playground,
    profileForm,
    requests,
    setup,
    signIn,
    transfer,
  },
  ...STAFF_TEXTS,
);
