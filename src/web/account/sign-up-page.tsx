import { Page } from '../design/page.tsx';

export function SignUpPage() {
  return <Page title="SignUpPage">-</Page>;
}
