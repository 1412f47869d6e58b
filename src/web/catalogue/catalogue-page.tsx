import { Page } from '../design/page.tsx';

export function CataloguePage() {
  return <Page title="CataloguePage">-</Page>;
}
