import { useQuery } from '@tanstack/react-query';
import { useTranslations } from 'use-intl';
import { Page } from '../design/page.tsx';
import { QueryError } from '../routing/error-pages.tsx';
import { organisationQuery } from '../service/queries.ts';
import { AboutView } from './about-view.tsx';

export function AboutPage() {
  const t = useTranslations('about');
  const { data, error, refetch } = useQuery(organisationQuery);
  if (data !== undefined) return <AboutView organisation={data.organisation} />;
  if (error !== null) return <QueryError level={1} error={error} onRetry={() => void refetch()} />;
  return <Page title={t('title')}>{null}</Page>;
}
