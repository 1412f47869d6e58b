import { Page } from '../design/page.tsx';

export function LoginPage() {
  return <Page title="LoginPage">-</Page>;
}
