import { Page } from '../design/page.tsx';

export function EditPetPage() {
  return <Page title="EditPetPage">-</Page>;
}
