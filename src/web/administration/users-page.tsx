import { Page } from '../design/page.tsx';

export function UsersPage() {
  return <Page title="UsersPage">-</Page>;
}
