import { Page } from '../design/page.tsx';

export function RemovedPetsPage() {
  return <Page title="RemovedPetsPage">-</Page>;
}
