import { Page } from '../design/page.tsx';

export function UserPage() {
  return <Page title="UserPage">-</Page>;
}
