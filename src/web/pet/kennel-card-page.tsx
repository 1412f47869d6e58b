import { Page } from '../design/page.tsx';

export function KennelCardPage() {
  return <Page title="KennelCardPage">-</Page>;
}
