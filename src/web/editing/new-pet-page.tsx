import { Page } from '../design/page.tsx';

export function NewPetPage() {
  return <Page title="NewPetPage">-</Page>;
}
