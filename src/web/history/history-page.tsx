import { Page } from '../design/page.tsx';

export function HistoryPage() {
  return <Page title="HistoryPage">-</Page>;
}
