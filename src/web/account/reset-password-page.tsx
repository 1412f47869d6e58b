import { Page } from '../design/page.tsx';

export function ResetPasswordPage() {
  return <Page title="ResetPasswordPage">-</Page>;
}
