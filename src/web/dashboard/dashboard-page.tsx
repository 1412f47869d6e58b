import { Page } from '../design/page.tsx';

export function DashboardPage() {
  return <Page title="DashboardPage">-</Page>;
}
