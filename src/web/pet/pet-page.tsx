import { Page } from '../design/page.tsx';

export function PetPage() {
  return <Page title="PetPage">-</Page>;
}
